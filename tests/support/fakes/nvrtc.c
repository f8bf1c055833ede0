/* An NVRTC of CUDA 13.0, or of the CUDA in its file's name, that compiles whatever it is given to the same few bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char image[] =
    "\x7f"
    "ELF of the fake";

int nvrtcVersion(int* major, int* minor) {
  Dl_info self;
  const char* end = dladdr((void*)image, &self) != 0 ? strstr(self.dli_fname, ".so.") : NULL;
  *major = end == NULL ? 13 : atoi(end + 4);
  *minor = 0;
  return 0;
}

int nvrtcCreateProgram(void** program, const char* source, const char* name, int count, void* headers, void* names) {
  *program = (void*)image;
  return 0;
}

static int size_of(size_t* size, const char* text) { return *size = strlen(text) + 1, 0; }
static int get(char* into, const char* text) { return strcpy(into, text), 0; }

int nvrtcDestroyProgram(void** program) { return *program = NULL, 0; }
int nvrtcCompileProgram(void* program, int count, void* options) { return 0; }
int nvrtcGetProgramLogSize(void* program, size_t* size) { return size_of(size, ""); }
int nvrtcGetProgramLog(void* program, char* log) { return get(log, ""); }
int nvrtcGetPTXSize(void* program, size_t* size) { return size_of(size, ".version 6.0"); }
int nvrtcGetPTX(void* program, char* text) { return get(text, ".version 6.0"); }
int nvrtcGetCUBINSize(void* program, size_t* size) { return size_of(size, image); }
int nvrtcGetCUBIN(void* program, char* text) { return get(text, image); }
const char* nvrtcGetErrorString(int code) { return "an error of the fake"; }
