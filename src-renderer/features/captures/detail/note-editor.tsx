import { useEffect, useRef, useState } from 'react'
import { TextArea } from '../../../ui/text-field.tsx'
import { saveNote } from '../inspector-commands.ts'
import styles from './detail.module.css'

/** Saved with Ctrl+Enter or on leaving it; Escape leaves it as it was. */
export function NoteEditor({ id, note, onDone }: { id: number; note: string; onDone: () => void }) {
  const [text, setText] = useState(note)
  const field = useRef<HTMLTextAreaElement>(null)
  const finished = useRef(false)
  useEffect(() => field.current?.focus(), [])

  const finish = async (save: boolean) => {
    if (finished.current) return
    finished.current = true
    if (save && text !== note && !(await saveNote(id, text))) {
      // What was written is not lost: the field stays.
      finished.current = false
      return
    }
    onDone()
  }

  return (
    <div className={styles['noteEditor']}>
      <TextArea
        ref={field}
        label="Note"
        hideLabel
        placeholder="What is this capture about?"
        hint="Ctrl+Enter saves, Escape leaves it as it was"
        maxLength={10_000}
        rows={3}
        value={text}
        onChange={setText}
        onBlur={() => void finish(true)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation()
            void finish(false)
          }
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            void finish(true)
          }
        }}
      />
    </div>
  )
}
