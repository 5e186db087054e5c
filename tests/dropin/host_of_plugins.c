/* Opens the plugins that are named, none of which sees another's symbols, and prints which BLAS each one reaches. */
#include <dlfcn.h>
#include <stdio.h>

typedef const char* (*use_function)(void);

int main(int argc, char** argv) {
  int i, round;
  use_function use[8];
  if (argc > 9) return 1;
  for (i = 1; i < argc; ++i) {
    void* plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      puts(dlerror());
      return 2;
    }
    *(void**)&use[i - 1] = dlsym(plugin, "use_blas");
    if (use[i - 1] == NULL) return 3;
  }
  for (round = 0; round < 2; ++round) {
    for (i = 1; i < argc; ++i) printf("%s\n", use[i - 1]());
  }
  return 0;
}
