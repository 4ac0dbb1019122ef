/** First 32 bits of message bodies, and the names the service gives them. */
export const opcodes = {
  textComment: 0x00000000,
  encryptedTextComment: 0x2167da4b,
  excess: 0xd53276db,
  bounce: 0xffffffff,
  newBounce: 0xfffffffe,
  jettonTransfer: 0x0f8a7ea5,
  jettonInternalTransfer: 0x178d4519,
  jettonNotify: 0x7362d09c,
  jettonBurn: 0x595f07bc,
  jettonBurnNotification: 0x7bdd97de,
  jettonMint: 0x642b7d07,
  nftTransfer: 0x5fcc3d14,
  nftOwnershipAssigned: 0x05138d91,
} as const

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
