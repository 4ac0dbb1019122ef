import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { SubscriptionsFormat } from '../../../../src-preload/contract/subscription.ts'
import { request } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { Moment } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import pane from '../../../ui/pane.module.css'
import { Select } from '../../../ui/select.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import { ExportMenu } from '../../../components/files/export-menu.tsx'
import { saveExport } from '../../../components/files/save-export.ts'
import { stateTones, stateWords } from '../../../components/jobs/job-state.ts'
import { MainAction } from '../changes/change-actions.tsx'
import { changeRoute } from '../changes/change-route.ts'
import { sayCounts, titleOf } from '../changes/change-words.ts'
import { changesOf } from '../changes/changes.ts'
import { withoutScheme } from '../webhook-words.ts'
import { webhooksOf } from '../webhooks.ts'
import { CommandLine } from './command-line.tsx'
import { OpenSubscriptionsButton } from './file-open.tsx'
import { exampleOf, formatOf } from './plan-words.ts'
import { plans } from './plans.ts'
import styles from './file.module.css'

/** No file is open: what one is for, the ways to give one, and how it is written. */
export function StartView({ network }: { network: Network }) {
  return (
    <div className={styles['start']}>
      <div>
        <section className={pane['section']} aria-label="Compare a file">
          <h3>Compare a file with what is subscribed</h3>
          <p className={styles['hint']}>
            A file says which accounts, opcodes and flags each webhook is to have. What is missing
            and what is too much is shown first; nothing changes until you apply it, and that can be
            undone. Webhooks that the file does not name are left alone.
          </p>
          <Paste />
        </section>
        <Export network={network} />
        <LastApplied network={network} />
      </div>
      <div>
        <Form network={network} />
        <section className={pane['section']} aria-label="In a terminal">
          <h3>The same in a terminal</h3>
          <CommandLine act="plan" file="FILE" network={network} />
          <CommandLine act="apply" file="FILE" network={network} />
        </section>
      </div>
    </div>
  )
}

function Paste() {
  const [pasted, setPasted] = useState('')
  const format = formatOf('', pasted)
  const compare = () => {
    if (pasted.trim() === '') return
    void plans.open({ name: `pasted.${format}`, blob: new Blob([pasted]) }, format)
  }
  useShortcuts([
    { keys: ['mod+Enter'], label: 'Compare what was pasted', group: 'File', run: compare },
  ])
  return (
    <form
      className={styles['paste']}
      aria-label="A file"
      onSubmit={(event) => {
        event.preventDefault()
        compare()
      }}
    >
      <TextArea
        label="Paste it here"
        hint="Or drop a .yaml or .csv file anywhere on this page."
        mono
        rows={7}
        spellCheck={false}
        placeholder={'webhooks:\n  - endpoint: https://…\n    accounts:\n      - EQCxE6…'}
        value={pasted}
        onChange={setPasted}
      />
      <div className={styles['line']}>
        <Button type="submit" kind="main" disabled={pasted.trim() === ''}>
          Compare{pasted.trim() === '' ? '' : ` as ${format.toUpperCase()}`}
        </Button>
        <OpenSubscriptionsButton />
      </div>
    </form>
  )
}

function Export({ network }: { network: Network }) {
  const webhooks = valueOf(useResource(webhooksOf(network.id)))?.webhooks ?? []
  const [chosen, setChosen] = useState('all')
  const isKnown = webhooks.some(({ id }) => id === chosen)
  const save = (format: SubscriptionsFormat) => {
    const only = isKnown ? [chosen] : null
    void saveExport(format.toUpperCase(), () =>
      request('subscription.export', { network: network.id, webhooks: only, format }),
    )
  }
  const key = shortcutsOf('File')
  useShortcuts([key(['e'], 'Export as YAML', () => save('yaml'))])
  return (
    <section className={pane['section']} aria-label="Export">
      <h3>Export what is subscribed now</h3>
      <p className={styles['hint']}>
        The file that comes out is understood here again: change it and compare it.
      </p>
      <div className={styles['line']}>
        <Select
          label="Which webhooks"
          value={isKnown ? chosen : 'all'}
          onChange={setChosen}
          options={[
            { value: 'all', label: 'All webhooks' },
            ...webhooks.map(({ id, endpoint }) => ({
              value: id,
              label: withoutScheme(endpoint),
            })),
          ]}
        />
        <ExportMenu
          items={[
            { label: 'YAML', hint: 'e', onSelect: () => save('yaml') },
            { label: 'CSV', onSelect: () => save('csv') },
          ]}
        />
      </div>
    </section>
  )
}

function LastApplied({ network }: { network: Network }) {
  const changes = valueOf(useResource(changesOf(network.id)))
  const last = changes?.find(({ kind }) => kind === 'apply')
  if (last === undefined) return null
  return (
    <section className={pane['section']} aria-label="Last applied">
      <h3>Last applied</h3>
      <div className={styles['line']}>
        <a href={printRoute(changeRoute(last))}>{titleOf(last)}</a>
        <Tag tone={stateTones[last.state]}>{stateWords[last.state]}</Tag>
        <span className={styles['hint']}>
          <Moment at={fromMs(last.createdAt)} />, {sayCounts(last)}
          {last.undoneBy !== null && ', undone since'}
        </span>
        <MainAction change={last} />
      </div>
    </section>
  )
}

function Form({ network }: { network: Network }) {
  const [format, setFormat] = useState<SubscriptionsFormat>('yaml')
  const example = exampleOf(format, network.id)
  return (
    <section className={pane['section']} aria-label="How the file is written">
      <h3>How the file is written</h3>
      <div className={styles['line']}>
        <Choices
          label="Form"
          value={format}
          onChange={setFormat}
          options={[
            { value: 'yaml', label: 'YAML' },
            { value: 'csv', label: 'CSV' },
          ]}
        />
        <CopyButton text={example} what="Example" />
      </div>
      <pre className={styles['example']} tabIndex={0} aria-label={`Example as ${format}`}>
        {example}
      </pre>
      <p className={styles['hint']}>
        What a webhook’s part leaves out is left alone; an empty list means that there are to be
        none. Addresses stand in any form.
      </p>
    </section>
  )
}
