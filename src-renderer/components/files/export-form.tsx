import { type ReactNode, useState } from 'react'
import { toAppError } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import text from '../../ui/text-field.module.css'
import styles from './export.module.css'

/** Chooses what is made a file of, and begins; the dialog stays open to save it. */
export function ExportForm({
  label,
  action,
  isReady = true,
  start,
  onClose,
  children,
}: {
  label: string
  /** What the button that begins says. */
  action: string
  isReady?: boolean
  start: () => Promise<void>
  onClose: () => void
  children: ReactNode
}) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const submit = async () => {
    if (busy || !isReady) return
    setBusy(true)
    setProblem(null)
    try {
      await start()
    } catch (error) {
      setProblem(toAppError(error).message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className={styles['form']}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {problem !== null && (
        <p className={styles['bad']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['buttons']}>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" kind="main" icon="download" busy={busy} disabled={!isReady}>
          {busy ? 'Starting…' : action}
        </Button>
      </div>
    </form>
  )
}

export function ExportField({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles['field']}>
      <span className={text['label']}>{name}</span>
      <div className={styles['choice']}>{children}</div>
    </div>
  )
}
