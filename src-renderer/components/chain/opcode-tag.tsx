import { Tag } from '../../ui/tag.tsx'
import text from '../../ui/text.module.css'

/** What a message asks for: the name of a known opcode, else the opcode itself. */
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
    <Tag title="No name is known for this opcode.">
      <span className={text['mono']}>{opcode}</span>
    </Tag>
  )
}
