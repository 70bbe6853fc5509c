; definitions
(class name: (_) @name superclass: (superclass)? @bases) @class
(module name: (_) @name) @module
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
; references
(call !receiver method: (identifier) @loads arguments: (argument_list (string (string_content) @import)) (#any-of? @loads "require" "require_relative" "load" "autoload"))
(call !receiver method: (identifier) @mixes arguments: (argument_list [(constant) (scope_resolution)] @mixin) (#any-of? @mixes "include" "extend" "prepend"))
(call !receiver method: (identifier) @call)
(call receiver: (_) method: (identifier) @call.member)
