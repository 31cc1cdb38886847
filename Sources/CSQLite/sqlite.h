// SQLite's own header, and what of it the importer cannot read.
#pragma once

#include <sqlite3.h>
#include <stddef.h>

/// SQLite copies the bytes before the call returns (`SQLITE_TRANSIENT`).
static inline sqlite3_destructor_type sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// Binds an object for functions, which `release` lets go of when the statement no longer needs it.
static inline int sqlite_bind_object(sqlite3_stmt *statement, int place, void *object, void (*release)(void *)) {
  return sqlite3_bind_pointer(statement, place, object, "object of a store", release);
}

/// The object that was bound, as the argument of a function; NULL if it is none.
static inline void *sqlite_object(sqlite3_value *value) { return sqlite3_value_pointer(value, "object of a store"); }

/// Overwrites memory with zeros, also if the compiler knows that it is not read afterwards.
static inline void sqlite_erase(void *start, size_t count) {
  volatile unsigned char *bytes = (volatile unsigned char *)start;
  while (count--) *bytes++ = 0;
}

/// Switches something on or off for a connection (`sqlite3_db_config`).
static inline int sqlite_switch(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}
