import type { ConfigParameter } from '../../../../src-preload/contract/chain.ts'

/** Those that hold each word typed, in their number, name, description, fields or values. */
export function findParameters(
  parameters: readonly ConfigParameter[],
  typed: string,
): readonly ConfigParameter[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return parameters
  return parameters.filter((parameter) => {
    const own = [String(parameter.number), parameter.name, parameter.description]
    const fields = parameter.fields.flatMap(({ name, value }) => [name, value])
    const all = [...own, ...fields].join('\n').toLowerCase()
    return words.every((word) => all.includes(word))
  })
}
