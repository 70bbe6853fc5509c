; definitions
(function_declaration name: (identifier) @name body: (block)? @body) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @prefix (pointer_type (type_identifier) @prefix) (generic_type type: (type_identifier) @prefix) (pointer_type (generic_type type: (type_identifier) @prefix))])) name: (field_identifier) @name body: (block)? @body) @function
(type_spec name: (type_identifier) @name type: [(struct_type (field_declaration_list) @body) (interface_type)] ) @class
(type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (map_type) (slice_type) (function_type) (pointer_type) (channel_type) (array_type) (generic_type)]) @class
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) (qualified_type name: (type_identifier)) (generic_type type: (type_identifier))] @bases)))) @class
(type_spec name: (type_identifier) @name type: (interface_type (type_elem [(type_identifier) (qualified_type)] @bases))) @class
(type_alias name: (type_identifier) @name) @class
; references
(import_spec path: (_) @import)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call.member))
(composite_literal type: (type_identifier) @call)
