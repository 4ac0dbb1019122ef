import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { openCompare, readComparable } from './comparable.ts'
import styles from './compare.module.css'

/** Where the address does not name two things: they are asked for. */
export function ChooseSides({ left, right }: { left: string; right: string }) {
  const [typed, setTyped] = useState({ left, right })
  const [tried, setTried] = useState(false)
  const read = { left: readComparable(typed.left), right: readComparable(typed.right) }
  const wrong = (side: 'left' | 'right') =>
    tried && read[side] === null ? 'The number of a capture, such as 12.' : undefined
  return (
    <EmptyState
      title="Compare two captures"
      detail="Select two in the list of captures and choose Compare, or give their numbers here. Answers are compared from the tab “Forwards” of a capture."
    >
      <form
        className={styles['choose']}
        aria-label="Compare"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (read.left === null || read.right === null) return
          openCompare(read.left, read.right)
        }}
      >
        <TextField
          label="Left"
          mono
          value={typed.left}
          onChange={(next) => setTyped({ ...typed, left: next })}
          error={wrong('left')}
        />
        <TextField
          label="Right"
          mono
          value={typed.right}
          onChange={(next) => setTyped({ ...typed, right: next })}
          error={wrong('right')}
        />
        <Button type="submit" kind="main">
          Compare
        </Button>
      </form>
    </EmptyState>
  )
}
