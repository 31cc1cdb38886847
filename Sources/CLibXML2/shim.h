// The parts of libxml2 that the XML reader calls: the SAX parser and its error records.
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
