import catalogue from './catalogue.json' with { type: 'json' }

/** First 32 bits of message bodies, and the names that the service gives them. */
export const opcodes = Object.fromEntries(
  Object.entries(catalogue.operations).map(([name, opcode]) => [name, Number(opcode)]),
) as Readonly<Record<keyof typeof catalogue.operations, number>>

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(opcodes).map(([name, opcode]) => [opcode, toSnakeCase(name)]),
)

/** The service's form of names: `queryId` becomes `query_id`. */
export function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** `decoded_op_name` of the service; null for one that is not known here. */
export function operationName(opcode: number): string | null {
  return names.get(opcode) ?? null
}

export function knownOpcodes(): { opcode: number; name: string }[] {
  return [...names].map(([opcode, name]) => ({ opcode, name }))
}

const hexOpcode = /^0x([0-9a-fA-F]{1,8})$/

/** An opcode of a gateway: `0x` and up to 8 hexadecimal digits. @returns null for anything else */
export function readOpcode(text: string): number | null {
  const digits = hexOpcode.exec(text)?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 16)
}
