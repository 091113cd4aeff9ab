type Json = Record<string, unknown>

/** A parameter object, or a reference to a component once it is shared. */
export type Parameter = { name: string; in: string; required: boolean; schema: unknown } | { $ref: string }

/**
 * Replaces parameters that several operations have by references, in place, and returns them for `components.parameters`. A component has
 * the name of its parameter; where parameters of one name differ, further ones are numbered in the order of the operations.
 */
export function shareParameters(operations: readonly { parameters?: Parameter[] }[]): Json {
  const uses = new Map<string, number>()
  for (const { parameters = [] } of operations) {
    for (const parameter of parameters) uses.set(JSON.stringify(parameter), (uses.get(JSON.stringify(parameter)) ?? 0) + 1)
  }
  const shared: Json = {}
  const names = new Map<string, string>()
  for (const operation of operations) {
    if (!operation.parameters) continue
    operation.parameters = operation.parameters.map((parameter) => {
      const text = JSON.stringify(parameter)
      if ('$ref' in parameter || (uses.get(text) ?? 0) < 2) return parameter
      const name = names.get(text) ?? freeName(parameter.name, shared)
      names.set(text, name)
      shared[name] = parameter
      return { $ref: `#/components/parameters/${name}` }
    })
  }
  return shared
}

function freeName(wanted: string, taken: Json): string {
  if (!(wanted in taken)) return wanted
  for (let number = 2; ; number++) if (!(`${wanted}_${number}` in taken)) return `${wanted}_${number}`
}
