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
  void *unused1[27];
  unsigned int initialized;
  void *unused2[3];
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
