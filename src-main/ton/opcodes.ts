import catalogue from './catalogue.json' with { type: 'json' }

/** The opcodes, which are the first 32 bits of message bodies, by the service's names. */
export const opcodes = Object.fromEntries(
  Object.entries(catalogue.operations).map(([name, opcode]) => [name, Number(opcode)]),
) as Readonly<Record<keyof typeof catalogue.operations, number>>

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(opcodes).map(([name, opcode]) => [opcode, toSnakeCase(name)]),
)

/** Converts a name to the service's form: `queryId` becomes `query_id`. */
export function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The service's `decoded_op_name`; null for an unknown opcode. */
export const operationName = (opcode: number): string | null => names.get(opcode) ?? null

export const knownOpcodes = (): { opcode: number; name: string }[] =>
  [...names].map(([opcode, name]) => ({ opcode, name }))

const hexOpcode = /^0x([0-9a-fA-F]{1,8})$/

/** Parses a gateway's opcode: `0x` and up to 8 hexadecimal digits. @returns null for other text */
export function readOpcode(text: string): number | null {
  const digits = hexOpcode.exec(text)?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 16)
}
