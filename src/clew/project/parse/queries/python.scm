; definitions
(class_definition name: (identifier) @name superclasses: (argument_list)? @bases body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
; references
(import_statement) @import
(import_from_statement) @import
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call.member))
