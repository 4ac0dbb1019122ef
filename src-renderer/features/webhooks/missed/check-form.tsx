import { useEffect, useState } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { toAppError } from '../../../app/bridge.ts'
import { formatNumber } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { sayCounts } from '../../../components/address-list/line-words.ts'
import { ListSource } from '../../../components/address-list/list-source.tsx'
import { DropZone, OpenFileButton } from '../../../components/files/drop-zone.tsx'
import { spanLabels, spanNames } from './check-span.ts'
import { openCheck, takeCheck } from './checks.ts'
import { type CheckedAccounts, checkedList, startCheck, useNewCheck } from './new-check.ts'
import styles from './missed.module.css'

/** Asks what became of the events of some accounts in some time. */
export function CheckForm({ webhook }: { webhook: Webhook }) {
  const { accounts, span, lateAfter } = useNewCheck()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const start = async () => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      const check = await startCheck(webhook)
      takeCheck(check)
      openCheck(check)
    } catch (error) {
      setProblem(toAppError(error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className={styles['form']}
      aria-label="New check"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <div className={styles['field']}>
        <span className={styles['label']}>Accounts</span>
        <Choices<CheckedAccounts>
          label="Accounts"
          value={accounts}
          onChange={(next) => useNewCheck.setState({ accounts: next })}
          options={[
            {
              value: 'all',
              label: 'All',
              more: webhook.accounts !== null && formatNumber(webhook.accounts),
            },
            { value: 'failing', label: 'Failing', more: formatNumber(webhook.failing) },
            { value: 'list', label: 'A list…' },
          ]}
        />
      </div>
      {accounts === 'list' && <AccountList webhook={webhook} />}
      <div className={styles['field']}>
        <span className={styles['label']}>Time of their blocks</span>
        <Choices
          label="Time of their blocks"
          value={span.name}
          onChange={(name) => useNewCheck.setState({ span: { ...span, name } })}
          options={spanNames.map((name) => ({ value: name, label: spanLabels[name] }))}
        />
      </div>
      {span.name === 'free' && (
        <div className={styles['times']}>
          <TextField
            label="From"
            type="datetime-local"
            value={span.from}
            onChange={(from) => useNewCheck.setState({ span: { ...span, from } })}
          />
          <TextField
            label="To (empty: until now)"
            type="datetime-local"
            value={span.to}
            onChange={(to) => useNewCheck.setState({ span: { ...span, to } })}
          />
        </div>
      )}
      <div className={styles['narrow']}>
        <TextField
          label="Late after"
          hint="From its block to its delivery here."
          value={lateAfter}
          onChange={(next) => useNewCheck.setState({ lateAfter: next })}
        />
      </div>
      {problem !== null && (
        <p className={styles['bad']} role="alert">
          {problem}
        </p>
      )}
      <div>
        <Button type="submit" kind="main" icon="search" busy={busy}>
          {busy ? 'Starting…' : 'Check'}
        </Button>
      </div>
    </form>
  )
}

function AccountList({ webhook }: { webhook: Webhook }) {
  const { draft, problem, typed, file } = checkedList.store()
  const { feed } = checkedList
  useEffect(() => feed.useNetwork(webhook.network), [feed, webhook.network])
  const open = (given: File) => void feed.open({ name: given.name, blob: given })
  return (
    <DropZone hint="Drop it to read its addresses" className={styles['list']} onFile={open}>
      <ListSource list={checkedList} />
      <div className={styles['line']}>
        <OpenFileButton label="Open a file…" accept=".txt,.csv,.tsv" onFile={open} />
        {(typed !== '' || file !== null) && (
          <Button kind="quiet" onClick={() => feed.clear()}>
            Clear
          </Button>
        )}
        <span className={problem === null ? undefined : styles['bad']} role="status">
          {problem?.message ?? (draft === null ? '' : sayCounts(draft.counts))}
        </span>
      </div>
    </DropZone>
  )
}
