// Package process builds the product's binaries and runs them as what they are in
// production: processes that can be asked to stop and that can be killed.
//
// Every process leads a group of its own and is ended by that group's ID. The
// kernel ends it too when the process that started it dies.
package process
