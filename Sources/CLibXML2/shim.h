// The parts of libxml2 that the XML reader calls: the SAX parser, its error records, and the encodings.
#include <libxml/xmlversion.h>

// A libxml2 that was built with ICU includes ICU's headers, whose declarations differ from those of the ICU inside Foundation, so
// that no module could import both. Without them two fields are missing at the end of the encoding handler, which is used here
// only through pointers that libxml2 makes.
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
