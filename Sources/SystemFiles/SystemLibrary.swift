// The C library, for this target and those that import it. No library product exports this target.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Bionic)
  @_exported public import Bionic
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif
