import type { ReactNode } from 'react'
import type { SandboxOutcome } from '../../../src-preload/contract/sandbox.ts'
import { formatCount, formatNumber, shorten } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icons.tsx'
import text from '../../ui/text.module.css'
import type { Action } from './use-action.ts'
import styles from './forms.module.css'

/** Fields of one action, its button, and below it how it went. */
export function ActionForm({
  title,
  detail,
  action,
  label,
  busyLabel,
  onSubmit,
  children,
  beside,
}: {
  title: string
  detail?: ReactNode
  action: Action
  /** On the button. */
  label: string
  /** On it while it runs. */
  busyLabel: string
  onSubmit: () => void
  children?: ReactNode
  /** Further buttons. */
  beside?: ReactNode
}) {
  return (
    <form
      className={styles['form']}
      noValidate
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        if (!action.busy) onSubmit()
      }}
    >
      <div className={styles['head']}>
        <h2 className={styles['title']}>{title}</h2>
        {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
      </div>
      {children}
      <div className={styles['line']}>
        <Button type="submit" kind="main" busy={action.busy}>
          {action.busy ? busyLabel : label}
        </Button>
        {beside}
      </div>
      <ActionResult action={action} />
    </form>
  )
}

export function ActionResult({ action }: { action: Action }) {
  const { problem, done } = action
  if (problem !== null) {
    return (
      <p className={styles['problem']} role="alert">
        {problem}
      </p>
    )
  }
  if (done === null) return null
  return (
    <div className={styles['done']}>
      <p className={styles['good']}>
        <Icon name="check" size={14} />
        {done.text}
      </p>
      {done.outcome !== undefined && <Outcome outcome={done.outcome} />}
    </div>
  )
}

const most = 8

function Outcome({ outcome: { block, transactions } }: { outcome: SandboxOutcome }) {
  const shown = transactions.slice(0, most)
  return (
    <>
      <p className={text['dim']}>
        Block {formatNumber(block)}, {formatCount(transactions.length, 'transaction')}
        {transactions.length > most && `; the first ${most} of them:`}
      </p>
      <ul className={styles['hashes']}>
        {shown.map(({ hash, lt }) => (
          <li key={hash}>
            <span title={hash}>{shorten(hash, 8, 6)}</span>
            <span className={text['faint']} title="Logical time">
              {formatNumber(lt)}
            </span>
            <CopyButton
              text={hash}
              what={`Hash of the transaction at ${lt}`}
              iconOnly
              kind="quiet"
            />
          </li>
        ))}
      </ul>
    </>
  )
}
