import { useEffect, useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { SubscriptionsFormat } from '../../../../src-preload/contract/subscription.ts'
import { useForm } from '../../../app/use-form.ts'
import { request, useData } from '../../../app/bridge.ts'
import { routeHref } from '../../../app/route.ts'
import { useJobs } from '../../../components/jobs/job-kind.tsx'
import { DropZone, OpenFileButton } from '../../../components/files/drop-zone.tsx'
import { ExportMenu, saveExport } from '../../../components/files/save-export.tsx'
import { withoutScheme } from '../../../components/webhook.tsx'
import { Form, Select, TextArea } from '../../../ui/form.tsx'
import { Hint, Columns, Row, Section, Stack, Text, Small } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Button, Choices, menuItem } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { EmptyState, FailedState, Progress } from '../../../ui/loaded.tsx'
import { formatBytes, fromMs } from '../../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { ChangeView } from '../changes/change-view.tsx'
import { changeJobs, changeRoute, describeCounts, titleOf } from '../changes/changes.ts'
import { openFile, subscriptionPlans, usePlanStore, exampleOf, formatOf } from './plan.ts'
import { CommandLine, PlanView } from './plan-view.tsx'

/** Compares a file of subscriptions with the gateway, applies it, and undoes it. */
export function FileView({ network }: { network: Network }) {
  useEffect(() => subscriptionPlans.useNetwork(network.id), [network.id])
  return (
    <DropZone
      fill
      hint="Drop the file to compare it with the gateway"
      onFile={(file) => void openFile(file)}
    >
      <Text as="h2" hidden>
        Subscriptions file
      </Text>
      <Content network={network} />
    </DropZone>
  )
}

function Content({ network }: { network: Network }) {
  const { file, busy, plan, problem, changeId } = usePlanStore()
  const { data: changes } = useJobs('change', network.id)
  const change = changes?.find(({ id }) => id === changeId)
  if (change !== undefined) {
    const leave = () => {
      usePlanStore.setState({ changeId: null })
      // The change has altered the differences, so they are computed again.
      void subscriptionPlans.again()
    }
    return <ChangeView key={change.id} change={change} onLeave={leave} back="Differences" />
  }
  if (file === null) return <Start network={network} />
  if (plan !== null) return <PlanView network={network} plan={plan} />
  if (problem !== null) {
    return (
      <FailedState
        what={`Could not compare “${file.name}”`}
        why={problem}
        onRetry={() => void subscriptionPlans.again()}
      >
        <OpenButton />
        <Button kind="quiet" onClick={() => subscriptionPlans.close()}>
          Close file
        </Button>
      </FailedState>
    )
  }
  const isReading = busy?.step === 'reading'
  return (
    <EmptyState
      title={file.name}
      detail={
        <span role="status">
          {isReading
            ? `${formatBytes(busy.done)} of ${formatBytes(busy.total)} read`
            : 'Loading the current subscriptions from the gateway. This takes a while for many accounts.'}
        </span>
      }
    >
      {isReading && <Progress label={`Reading ${file.name}`} done={busy.done} of={busy.total} />}
      <Button onClick={() => subscriptionPlans.close()}>Cancel</Button>
    </EmptyState>
  )
}

function OpenButton() {
  return (
    <OpenFileButton
      label="Open a file…"
      purpose="subscriptions"
      accept=".yaml,.yml,.csv,.tsv"
      onFile={(file) => void openFile(file)}
    />
  )
}

/** Shown if no file is open: the purpose of such a file, the ways to open one, and its format. */
function Start({ network }: { network: Network }) {
  return (
    <Stack fill scroll>
      <Columns least={420} gap="none">
        <div>
          <Section
            title="Compare a subscriptions file with the gateway"
            detail="The file lists the accounts, opcodes and settings of each webhook. Tondesk first shows how the file and the gateway differ, and changes nothing until you apply the file. You can undo the applied changes. Webhooks that the file does not list stay unchanged."
          >
            <Paste />
          </Section>
          <Export network={network} />
          <LastApplied network={network} />
        </div>
        <div>
          <FileFormat network={network} />
          <Section title="Commands for a terminal">
            <CommandLine act="plan" file="FILE" network={network} />
            <CommandLine act="apply" file="FILE" network={network} />
          </Section>
        </div>
      </Columns>
    </Stack>
  )
}

function Paste() {
  const form = useForm({ text: '' }, async ({ text }) => {
    const format = formatOf('', text)
    await subscriptionPlans.open({ name: `pasted.${format}`, blob: new Blob([text]) }, format)
  })
  const { text } = form.values
  const isEmpty = text.trim() === ''
  const compare = () => !isEmpty && form.submit()
  useShortcuts([
    { keys: ['mod+Enter'], label: 'Compare the pasted text', group: 'File', run: compare },
  ])
  return (
    <Form
      form={form}
      action={isEmpty ? 'Compare' : `Compare as ${formatOf('', text).toUpperCase()}`}
      label="Pasted file"
      inline
      disabled={isEmpty}
      beside={<OpenButton />}
    >
      <TextArea
        label="Paste YAML or CSV"
        hint="Or drop a .yaml or .csv file anywhere on this page."
        mono
        rows={7}
        spellCheck={false}
        placeholder={'webhooks:\n  - endpoint: https://…\n    accounts:\n      - EQCxE6…'}
        {...form.field('text')}
      />
    </Form>
  )
}

function Export({ network: { id: network } }: { network: Network }) {
  const { data } = useData('webhook.list', { network })
  const webhooks = data?.webhooks ?? []
  const [chosen, setChosen] = useState('all')
  const isKnown = webhooks.some(({ id }) => id === chosen)
  const save = (format: SubscriptionsFormat) => {
    const only = isKnown ? [chosen] : null
    void saveExport(format.toUpperCase(), 'subscriptions', () =>
      request('subscription.export', { network, webhooks: only, format }),
    )
  }
  const key = shortcutsOf('File')
  useShortcuts([key(['e'], 'Export as YAML', () => save('yaml'))])
  return (
    <Section
      title="Export the current subscriptions"
      detail="You can edit the exported file, then compare it with the gateway here."
    >
      <Row wrap>
        <Select
          label="Webhooks to export"
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
            menuItem('YAML', { hint: 'e' }, () => save('yaml')),
            menuItem('CSV', {}, () => save('csv')),
          ]}
        />
      </Row>
    </Section>
  )
}

function LastApplied({ network }: { network: Network }) {
  const { data } = useJobs('change', network.id)
  const last = data?.find(({ kind }) => kind === 'apply')
  if (last === undefined) return null
  return (
    <Section title="Last applied file">
      <Row wrap>
        <a href={routeHref(changeRoute(last))}>{titleOf(last)}</a>
        <changeJobs.State job={last} />
        <Small>
          <Moment at={fromMs(last.createdAt)} />, {describeCounts(last)}
          {last.undoneBy !== null && ', undone'}
        </Small>
        <changeJobs.MainAction job={last} />
      </Row>
    </Section>
  )
}

function FileFormat({ network }: { network: Network }) {
  const [format, setFormat] = useState<SubscriptionsFormat>('yaml')
  const example = exampleOf(format, network.id)
  return (
    <Section title="File format">
      <Stack>
        <Row wrap>
          <Choices
            label="Format"
            value={format}
            onChange={setFormat}
            options={[
              { value: 'yaml', label: 'YAML' },
              { value: 'csv', label: 'CSV' },
            ]}
          />
          <CopyButton text={example} what="Example" />
        </Row>
        <Stack
          scroll
          pad="m"
          line="box"
          tabIndex={0}
          role="region"
          aria-label={`Example in ${format.toUpperCase()}`}
        >
          <Text as="pre" mono>
            {example}
          </Text>
        </Stack>
        <Hint>
          Settings that the file omits stay unchanged. An empty list removes all accounts or opcodes
          of the webhook. You can write addresses in any form.
        </Hint>
      </Stack>
    </Section>
  )
}
