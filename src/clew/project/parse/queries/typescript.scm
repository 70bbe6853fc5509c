; definitions
(class_declaration name: (_) @name (class_heritage)? @bases body: (class_body) @body) @class
(abstract_class_declaration name: (_) @name (class_heritage)? @bases body: (class_body) @body) @class
(interface_declaration name: (_) @name (extends_type_clause)? @bases body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(type_alias_declaration name: (_) @name) @class
(internal_module name: (_) @name body: (_) @body) @module
(function_declaration name: (identifier) @name body: (_) @body) @function
(generator_function_declaration name: (identifier) @name body: (_) @body) @function
(function_signature name: (identifier) @name) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name body: (_) @body) @function
(method_signature name: (property_identifier) @name) @function
(abstract_method_signature name: (property_identifier) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @function
(variable_declarator name: (identifier) @name value: (class (class_heritage)? @bases body: (_) @body)) @class
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(pair key: (property_identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
; references
(import_statement source: (string (string_fragment) @import))
(import_require_clause source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression function: [(identifier) (import)] @loads arguments: (arguments . (string (string_fragment) @import)) (#any-of? @loads "require" "import"))
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @call.member))
(new_expression constructor: (identifier) @call)
