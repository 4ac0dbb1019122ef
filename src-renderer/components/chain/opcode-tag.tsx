import { Tag, Text } from '../../ui/layout.tsx'

/** The operation of a message: the name of a known opcode, else the opcode. */
export function OpcodeTag({
  operation,
  opcode,
}: {
  operation: string | null
  opcode: string | null
}) {
  if (operation !== null) return <Tag title={opcode ?? undefined}>{operation}</Tag>
  if (opcode === null) return null
  return (
    <Tag title="This opcode has no known name.">
      <Text mono>{opcode}</Text>
    </Tag>
  )
}

/** `0: success`, `37: not enough TON`; only the code if its meaning is unknown. */
export function describeCode(code: number, words: string | null): string {
  if (words !== null) return `${code}: ${words}`
  return code === 0 || code === 1 ? `${code}: success` : String(code)
}
