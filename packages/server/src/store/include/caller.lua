--- What the caller knows of the store: `highest`, the highest version that it has seen, `newEpoch`, for when one is
--- needed, and a random `step`. It is passed as JSON before the arguments that a script documents.
local caller = cjson.decode(table.remove(ARGV, 1))

--- Fails if the store has no version but the caller has seen one: nothing is written to an emptied store before its
--- operator accepts it. A script that would write into an empty store calls it first. See decision 0170.
local function refuseEmptied(version)
  if not version and caller.highest > 0 then
    error({ err = 'EMPTIED the directory is gone' })
  end
end
