import { useState } from 'react'
import { TextField } from '../../../ui/text-field.tsx'
import { FilterForm, FormChip } from './filter-chip.tsx'
import { readOpcode } from './history-words.ts'

export function OpcodeChip({
  opcode,
  onChange,
}: {
  opcode: string | null
  onChange: (opcode: string | null) => void
}) {
  return (
    <FormChip
      label={opcode === null ? 'opcode' : `opcode: ${opcode}`}
      isOn={opcode !== null}
      title="Opcode"
    >
      {(close) => (
        <OpcodeForm
          opcode={opcode}
          onDone={(next) => {
            close()
            onChange(next)
          }}
        />
      )}
    </FormChip>
  )
}

function OpcodeForm({
  opcode,
  onDone,
}: {
  opcode: string | null
  onDone: (opcode: string | null) => void
}) {
  const [typed, setTyped] = useState(opcode ?? '')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  return (
    <FilterForm
      onApply={() => {
        const next = typed.trim() === '' ? null : readOpcode(typed)
        if (next === null && typed.trim() !== '') setProblem('Such as 0x0f8a7ea5, or a number.')
        else onDone(next)
      }}
      clear={opcode === null ? null : { label: 'Any opcode', run: () => onDone(null) }}
    >
      <TextField
        label="Opcode of the message"
        mono
        placeholder="0x0f8a7ea5"
        value={typed}
        onChange={setTyped}
        error={problem}
      />
    </FilterForm>
  )
}
