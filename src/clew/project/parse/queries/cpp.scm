; definitions
(function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (pointer_declarator declarator: (function_declarator declarator: (_) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
  (reference_declarator (function_declarator declarator: (_) @name))
] body: (_)? @body (#not-any-of? @name "if" "while" "for" "switch")) @function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @function
(field_declaration declarator: [
  (function_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: (field_identifier) @name))
]) @function
(class_specifier name: (_) @name (base_class_clause)? @bases body: (_) @body) @class
(struct_specifier name: (_) @name (base_class_clause)? @bases body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(alias_declaration name: (type_identifier) @name) @class
(type_definition declarator: [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]) @class
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @class
(namespace_definition name: (_) @name body: (_) @body) @module
(preproc_function_def name: (identifier) @name) @function
; references
(preproc_include path: [(string_literal) (system_lib_string)] @import)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call.member))
(call_expression function: (qualified_identifier name: (identifier) @call.member))
(call_expression function: (template_function name: (identifier) @call))
(new_expression type: (type_identifier) @call)
