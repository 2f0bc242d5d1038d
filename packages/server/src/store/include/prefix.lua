--- What all keys of the directory begin with, as one of them does: a script finds ids, and builds the keys that belong
--- to them. They are in the same slot.
local prefix = string.match(KEYS[1], '^[^}]*}:')
