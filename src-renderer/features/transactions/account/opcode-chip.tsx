import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { FormChip } from './filter-chip.tsx'
import { readOpcode } from './history-words.ts'
import styles from './account.module.css'

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
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const next = typed.trim() === '' ? null : readOpcode(typed)
        if (next === null && typed.trim() !== '') setProblem('Such as 0x0f8a7ea5, or a number.')
        else onDone(next)
      }}
      className={styles['popupForm']}
    >
      <TextField
        label="Opcode of the message"
        mono
        placeholder="0x0f8a7ea5"
        value={typed}
        onChange={setTyped}
        error={problem}
      />
      <div className={styles['popupButtons']}>
        {opcode !== null && <Button onClick={() => onDone(null)}>Any opcode</Button>}
        <Button kind="main" type="submit">
          Apply
        </Button>
      </div>
    </form>
  )
}
