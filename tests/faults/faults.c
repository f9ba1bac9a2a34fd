/* A file system that fails or dies at the call it is told to, for one folder.
 *
 * Loaded before the C library (LD_PRELOAD) it stands between a process and every call that changes
 * files, whoever makes it: Python, Arrow or SQLite. `faults_arm` says at which call, counted from
 * 1, what is to happen; `faults_seen` how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NEVER, FAIL, DIE, TEAR }; /* TEAR: die after the call, and in the middle of a write */
enum { GONE = 9 };

static char root[PATH_MAX];
static int mode = NEVER, number, seen, reason;

void faults_arm(const char *folder, int what, int at, int why) {
  snprintf(root, sizeof root, "%s", folder);
  mode = what, number = at, reason = why, seen = 0;
}

int faults_seen(void) { return seen; }

static int inside(const char *path) { return root[0] && !strncmp(path, root, strlen(root)); }

static int of_handle(int handle) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return inside(path);
}

static int of_path(int folder, const char *path) {
  char here[PATH_MAX];
  if (path[0] == '/') return inside(path);
  if (folder != AT_FDCWD) return of_handle(folder);
  return getcwd(here, sizeof here) && inside(here);
}

/* Whether this call is the one; it does not come back if it is the one to die at. */
static int struck(int ours) {
  if (!ours || ++seen != number || mode == NEVER) return 0;
  if (mode == DIE) _exit(GONE);
  return 1;
}

#define REAL(kind, name, ...) \
  static kind (*real)(__VA_ARGS__); \
  if (!real) real = (kind(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define DO(ours, call) \
  if (struck(ours)) { \
    if (mode == TEAR) { (void)!(call); _exit(GONE); } \
    errno = reason; \
    return -1; \
  } \
  return call

#define DO_WRITE(call, half) \
  if (struck(of_handle(handle))) { \
    if (mode == TEAR) { (void)!(half); _exit(GONE); } \
    errno = reason; \
    return -1; \
  } \
  return call

#define RIGHTS \
  mode_t rights = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list more; \
    va_start(more, flags); \
    rights = va_arg(more, mode_t); \
    va_end(more); \
  }
#define CHANGES (flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR))

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, #name, const char *, int, ...); \
    RIGHTS DO(CHANGES && of_path(AT_FDCWD, path), real(path, flags, rights)); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(int, #name, int, const char *, int, ...); \
    RIGHTS DO(CHANGES && of_path(folder, path), real(folder, path, flags, rights)); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int handle, const void *data, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  DO_WRITE(real(handle, data, size), real(handle, data, size / 2));
}

#define PWRITE(name) \
  ssize_t name(int handle, const void *data, size_t size, off_t place) { \
    REAL(ssize_t, #name, int, const void *, size_t, off_t); \
    DO_WRITE(real(handle, data, size, place), real(handle, data, size / 2, place)); \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define OF_HANDLE(name) \
  int name(int handle) { \
    REAL(int, #name, int); \
    DO(of_handle(handle), real(handle)); \
  }
OF_HANDLE(fsync)
OF_HANDLE(fdatasync)

#define TRUNCATE(name) \
  int name(int handle, off_t size) { \
    REAL(int, #name, int, off_t); \
    DO(of_handle(handle), real(handle, size)); \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define OF_PATH(name) \
  int name(const char *path) { \
    REAL(int, #name, const char *); \
    DO(of_path(AT_FDCWD, path), real(path)); \
  }
OF_PATH(unlink)
OF_PATH(rmdir)

#define WITH_RIGHTS(name) \
  int name(const char *path, mode_t rights) { \
    REAL(int, #name, const char *, mode_t); \
    DO(of_path(AT_FDCWD, path), real(path, rights)); \
  }
WITH_RIGHTS(mkdir)
WITH_RIGHTS(chmod)

int fchmod(int handle, mode_t rights) {
  REAL(int, "fchmod", int, mode_t);
  DO(of_handle(handle), real(handle, rights));
}

int fchmodat(int folder, const char *path, mode_t rights, int flags) {
  REAL(int, "fchmodat", int, const char *, mode_t, int);
  DO(of_path(folder, path), real(folder, path, rights, flags));
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  DO(of_path(folder, path), real(folder, path, flags));
}

int rename(const char *old, const char *new) {
  REAL(int, "rename", const char *, const char *);
  DO(of_path(AT_FDCWD, new), real(old, new));
}

int renameat2(int from, const char *old, int to, const char *new, unsigned int flags) {
  REAL(int, "renameat2", int, const char *, int, const char *, unsigned int);
  DO(of_path(to, new), real(from, old, to, new, flags));
}
