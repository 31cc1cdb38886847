// The parts of libxml2 that the XML reader calls: the SAX parser, its error records, and the encodings.
//
// Declared here, as in libxml2's own headers, and not included from there: most programs never need libxml2, which takes longer to load
// than they take to run, so on Linux it is loaded on first need, and nothing of it has to be there when a program is built. The layouts
// are those that libxml2 has had since version 2.6 and keeps for compatibility; a library that changed them would have another number
// in its file's name.
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

typedef unsigned char xmlChar;
typedef struct _xmlDoc xmlDoc;
typedef struct _xmlBuffer xmlBuffer;
typedef struct _xmlCharEncodingHandler xmlCharEncodingHandler;

// xmlerror.h

enum { XML_ERR_FATAL = 3 };

enum {
  XML_ERR_DOCUMENT_EMPTY = 4,
  XML_ERR_DOCUMENT_END = 5,
  XML_ERR_INVALID_HEX_CHARREF = 6,
  XML_ERR_INVALID_DEC_CHARREF = 7,
  XML_ERR_INVALID_CHARREF = 8,
  XML_ERR_INVALID_CHAR = 9,
  XML_ERR_ENTITYREF_SEMICOL_MISSING = 23,
  XML_ERR_UNDECLARED_ENTITY = 26,
  XML_ERR_LT_IN_ATTRIBUTE = 38,
  XML_ERR_ATTRIBUTE_NOT_STARTED = 39,
  XML_ERR_ATTRIBUTE_WITHOUT_VALUE = 41,
  XML_ERR_COMMENT_NOT_FINISHED = 45,
  XML_ERR_PI_NOT_FINISHED = 47,
  XML_ERR_MISPLACED_CDATA_END = 62,
  XML_ERR_CDATA_NOT_FINISHED = 63,
  XML_ERR_NAME_REQUIRED = 68,
  XML_ERR_GT_REQUIRED = 73,
  XML_ERR_TAG_NAME_MISMATCH = 76,
  XML_ERR_TAG_NOT_FINISHED = 77,
  XML_ERR_HYPHEN_IN_COMMENT = 80,
  XML_ERR_INVALID_ENCODING = 81,
};

typedef struct {
  int domain;
  int code;
  char *message;
  int level;
} xmlError;

typedef void (*xmlStructuredErrorFunc)(void *context, const xmlError *error);

// parser.h

enum { XML_PARSE_NONET = 1 << 11, XML_PARSE_HUGE = 1 << 19, XML_PARSE_IGNORE_ENC = 1 << 21 };
enum { XML_SAX2_MAGIC = 0xDEEDBEAF };

typedef struct {
  void (*internalSubset)(void *context, const xmlChar *name, const xmlChar *publicID, const xmlChar *systemID);
  void *unused1[15];
  void (*reference)(void *context, const xmlChar *name);
  void (*characters)(void *context, const xmlChar *text, int length);
  void (*ignorableWhitespace)(void *context, const xmlChar *text, int length);
  void *unused2[6];
  void (*cdataBlock)(void *context, const xmlChar *text, int length);
  void *unused3;
  unsigned int initialized;
  void *unused4;
  void (*startElementNs)(
    void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaceCount,
    const xmlChar **namespaces, int attributeCount, int defaultedCount, const xmlChar **attributes);
  void (*endElementNs)(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri);
  xmlStructuredErrorFunc serror;
} xmlSAXHandler;

typedef struct {
  void *unused1[3];
  const xmlChar *base;
  const xmlChar *cur;
  const xmlChar *end;
  int unused2[3];
  unsigned long consumed;
} xmlParserInput;

typedef struct {
  xmlSAXHandler *sax;
  void *userData;
  xmlDoc *myDoc;
  int wellFormed;
  int unused1;
  void *unused2[2];
  int unused3[2];
  xmlParserInput *input;
} xmlParserCtxt;

typedef int (*xmlInputReadCallback)(void *context, char *buffer, int length);
typedef int (*xmlInputCloseCallback)(void *context);

void xmlInitParser(void);
xmlParserCtxt *xmlCreateIOParserCtxt(
  xmlSAXHandler *sax, void *userData, xmlInputReadCallback read, xmlInputCloseCallback close, void *context,
  int encoding);
int xmlCtxtUseOptions(xmlParserCtxt *parser, int options);
int xmlParseDocument(xmlParserCtxt *parser);
void xmlStopParser(xmlParserCtxt *parser);
void xmlFreeParserCtxt(xmlParserCtxt *parser);
void xmlFreeDoc(xmlDoc *document);
xmlStructuredErrorFunc *__xmlStructuredError(void);

// encoding.h

enum { XML_CHAR_ENCODING_UTF8 = 1 };

xmlCharEncodingHandler *xmlFindCharEncodingHandler(const char *name);
int xmlCharEncInFunc(xmlCharEncodingHandler *handler, xmlBuffer *output, xmlBuffer *input);
int xmlCharEncOutFunc(xmlCharEncodingHandler *handler, xmlBuffer *output, xmlBuffer *input);
int xmlCharEncCloseFunc(xmlCharEncodingHandler *handler);

// tree.h

xmlBuffer *xmlBufferCreate(void);
void xmlBufferFree(xmlBuffer *buffer);
int xmlBufferAdd(xmlBuffer *buffer, const xmlChar *text, int length);
const xmlChar *xmlBufferContent(const xmlBuffer *buffer);
int xmlBufferLength(const xmlBuffer *buffer);
int xmlBufferShrink(xmlBuffer *buffer, unsigned int length);
void xmlBufferEmpty(xmlBuffer *buffer);

// Loading

#define LIBXML2_FUNCTIONS(F) \
  F(xmlInitParser) F(xmlCreateIOParserCtxt) F(xmlCtxtUseOptions) F(xmlParseDocument) F(xmlStopParser) \
  F(xmlFreeParserCtxt) F(xmlFreeDoc) F(__xmlStructuredError) F(xmlFindCharEncodingHandler) F(xmlCharEncInFunc) \
  F(xmlCharEncOutFunc) F(xmlCharEncCloseFunc) F(xmlBufferCreate) F(xmlBufferFree) F(xmlBufferAdd) \
  F(xmlBufferContent) F(xmlBufferLength) F(xmlBufferShrink) F(xmlBufferEmpty)

#define LIBXML2_FIELD(name) __typeof__(&name) name;
typedef struct { LIBXML2_FUNCTIONS(LIBXML2_FIELD) } LibXML2Functions;
#undef LIBXML2_FIELD

#if defined(__GLIBC__) || defined(__BIONIC__)

/// Loads a library and finds the functions in it. False if it is not there, or lacks one.
static inline bool LibXML2FunctionsLoad(LibXML2Functions *functions, const char *file) {
  void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return false;
#define LIBXML2_FIND(name) \
  functions->name = (__typeof__(&name))dlsym(library, #name); \
  if (!functions->name) return false;
  LIBXML2_FUNCTIONS(LIBXML2_FIND)
  return true;
}

#else

/// Finds the functions in the library that the program is linked with, whatever `file` says.
static inline bool LibXML2FunctionsLoad(LibXML2Functions *functions, const char *file) {
#define LIBXML2_FIND(name) functions->name = &name;
  LIBXML2_FUNCTIONS(LIBXML2_FIND)
  return true;
}

#endif
