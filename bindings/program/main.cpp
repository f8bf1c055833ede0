#include "bindings/program/cli.h"

int main(int argc, char** argv) { return reg::run_program(argc, argv); }
