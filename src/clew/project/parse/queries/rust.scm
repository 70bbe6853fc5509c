; definitions
(function_item name: (identifier) @name body: (block) @body) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name body: (_)? @body) @class
(enum_item name: (type_identifier) @name body: (_) @body) @class
(union_item name: (type_identifier) @name body: (_) @body) @class
(trait_item name: (type_identifier) @name bounds: (trait_bounds)? @bases body: (_) @body) @class
(type_item name: (type_identifier) @name) @class
(mod_item name: (identifier) @name body: (_) @body) @module
(macro_definition name: (identifier) @name) @function
(impl_item trait: (_)? @bases type: [(type_identifier) @name (generic_type type: (type_identifier) @name) (scoped_type_identifier name: (type_identifier) @name)] body: (_) @body) @scope
; references
(use_declaration argument: (_) @import)
(mod_item name: (identifier) @import !body)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call.member))
(call_expression function: (scoped_identifier name: (identifier) @call.member))
(call_expression function: (generic_function function: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(struct_expression name: (type_identifier) @call)
