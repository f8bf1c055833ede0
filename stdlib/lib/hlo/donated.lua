--- How many outputs of a module use the buffers of donated inputs: input_output_alias={ {0}: (0, {}, may-alias) }.
return function(module)
  local _, count = (module.attributes.input_output_alias or ""):gsub("%-alias%)", "")
  return count
end
