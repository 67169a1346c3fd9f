// Package groups says which distribution groups there are and who may use them.
//
// Config is what infra/groups.yaml holds: it changes with a deployment. Live is
// what people change at run time: reservations and draining. Eligible puts both
// together for one customer.
//
// Chosen here: a group has at most one reservation, for any number of customers,
// and a customer may have any number of groups. A reservation that ended counts
// as none, though it stays readable until it is replaced. Customers are compared
// byte by byte. Queues that a group does not list come from the file's own
// "queues" template; topics are named <group>-<queue> and subscriptions after
// their topic unless the file says otherwise.
package groups
