// Package group gives operators the commands about distribution groups: groups,
// reserve, release, drain and undrain.
//
// A change is made under the operation ID, which the live state remembers: a
// repeat changes nothing, not even when somebody else changed the group since.
package group
