// Package document reads the YAML files of chatops strictly: unknown and repeated
// fields are faults, and every fault names its file and line, those too that only
// show when values are compared with each other.
package document
