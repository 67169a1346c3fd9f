// Empty: it lets the compiler take initServer's declaration without a body.
