; definitions
(class_declaration name: (identifier) @name superclass: (superclass)? @bases interfaces: (super_interfaces)? @bases body: (_) @body) @class
(interface_declaration name: (identifier) @name (extends_interfaces)? @bases body: (_) @body) @class
(enum_declaration name: (identifier) @name interfaces: (super_interfaces)? @bases body: (_) @body) @class
(record_declaration name: (identifier) @name interfaces: (super_interfaces)? @bases body: (_) @body) @class
(annotation_type_declaration name: (identifier) @name body: (_) @body) @class
(method_declaration name: (identifier) @name body: (_)? @body) @function
(constructor_declaration name: (identifier) @name body: (_) @body) @function
; references
(import_declaration) @import
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) name: (identifier) @call.member)
(object_creation_expression type: [(type_identifier) @call (generic_type (type_identifier) @call)])
