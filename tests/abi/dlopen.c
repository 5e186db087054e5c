/* The library (argv[1]) opened, used by two threads and closed, several times. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef int (*create_function)(void**);
typedef int (*destroy_function)(void*);
typedef const char* (*text_function)(void);

static void* library;

static void* use(void* unused) {
  create_function create;
  destroy_function destroy;
  text_function last_error;
  void* handle = NULL;
  (void)unused;
  *(void**)&create = dlsym(library, "fg_create");
  *(void**)&destroy = dlsym(library, "fg_destroy");
  *(void**)&last_error = dlsym(library, "fg_last_error");
  if (create == NULL || destroy == NULL || last_error == NULL) return "a symbol is missing";
  if (create(&handle) != 0 && last_error()[0] == '\0') return "no reason";
  if (handle != NULL && destroy(handle) != 0) return "destroy";
  return NULL;
}

int main(int argc, char** argv) {
  int round;
  if (argc != 2) return 1;
  for (round = 0; round < 3; ++round) {
    pthread_t thread;
    void* fault = NULL;
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      puts(dlerror());
      return 2;
    }
    if (pthread_create(&thread, NULL, use, NULL) != 0 || pthread_join(thread, &fault) != 0) return 3;
    if (fault == NULL) fault = use(NULL);
    if (fault != NULL) {
      puts(fault);
      return 4;
    }
    if (dlclose(library) != 0) return 5;
  }
  return 0;
}
