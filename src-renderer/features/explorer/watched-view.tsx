/** The watched accounts of all networks. */
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import { type ComponentProps, useState } from 'react'
import type { Watch, WatchRule } from '../../../src-preload/contract/watch.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { attempt, confirmAndRun, reload, request, useData } from '../../app/bridge.ts'
import { queryHref } from '../../app/route.ts'
import { formatMoney, formatUnits, renameCoin } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { nameAccount, useAccountName } from '../../components/chain/account-link.tsx'
import { accountHref, transactionHref } from '../../components/chain/chain-links.ts'
import { NetworkTag } from '../../components/network-tag.tsx'
import { friendlyAddress } from '../../components/friendly-address.ts'
import { SearchField } from '../../components/list/search-field.tsx'
import { quoteValue } from '../../components/query-term.ts'
import { WatchDialog } from '../../components/watch-form.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import {
  formatCount,
  formatDuration,
  formatNumber,
  fromMs,
  shorten,
  trimZeros,
} from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Kbd, Row, Stack, Tag, Text, Small, SmallLink } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { Table, type TableColumn } from '../../ui/table.tsx'

const group = 'Watched accounts'

const nameOf = ({ network, address, label }: Watch) =>
  nameAccount(network, { address, label }, shorten)

/** The number of accounts that are shown at first, and that each press of “Show more” adds. */
const shownAtOnce = 100

export function WatchedAccounts({ network }: { network: Network }) {
  const [edited, setEdited] = useState<Omit<ComponentProps<typeof WatchDialog>, 'onClose'> | null>(
    null,
  )
  const add = () => setEdited({ network: network.id, address: '', watch: null })
  const [shown, setShown] = useState(shownAtOnce)
  const [typed, setTyped] = useState('')
  const key = shortcutsOf(group)
  useShortcuts([key(['a'], 'Watch an account', add)])
  const addButton = (
    <Button kind="main" icon="plus" onClick={add}>
      Watch an account <Kbd>a</Kbd>
    </Button>
  )
  return (
    <>
      <Loaded query={useData('watch.list')} of="the watched accounts">
        {(watches) =>
          watches.length === 0 ? (
            <EmptyState
              title="No accounts are watched yet"
              detail="Tondesk requests the new transactions of a watched account from the gateway. A transaction that matches your rules becomes a capture, which forwarding rules send to your server: live events without a webhook or a tunnel."
            >
              {addButton}
            </EmptyState>
          ) : (
            <>
              <Row pad="m" line="below">
                <SearchField
                  group={group}
                  label="Search the watched accounts"
                  placeholder="Label, address or rule"
                  value={typed}
                  onSearch={setTyped}
                />
                <Text tone="dim" role="status">
                  {formatCount(watches.length, 'watched account')}
                </Text>
                <Row last>{addButton}</Row>
              </Row>
              <Table
                label="Watched accounts"
                scroll
                keys={{ group, thing: 'account' }}
                rows={matching(watches, typed).slice(0, shown)}
                keyOf={({ id }) => id}
                columns={columnsOf((watch) => setEdited({ ...watch, watch }))}
                more={(watch) => <Trouble watch={watch} />}
              />
              {shown < matching(watches, typed).length && (
                <Row pad="m">
                  <Button onClick={() => setShown(shown + shownAtOnce)}>Show more</Button>
                </Row>
              )}
            </>
          )
        }
      </Loaded>
      {edited !== null && <WatchDialog {...edited} onClose={() => setEdited(null)} />}
    </>
  )
}

function matching(watches: readonly Watch[], typed: string): readonly Watch[] {
  const text = typed.trim()
  if (text === '') return watches
  return watches.filter(
    ({ label, address, rules }) =>
      [label ?? '', address, describeRules(rules)].some((each) =>
        each.toLowerCase().includes(text.toLowerCase()),
      ) ||
      [true, false].some((bounceable) =>
        friendlyAddress(address, { bounceable, testOnly: false })?.includes(text),
      ),
  )
}

function columnsOf(onEdit: (watch: Watch) => void): TableColumn<Watch>[] {
  return [
    { name: 'Account', cell: (watch) => <Account watch={watch} /> },
    { name: 'Network', width: 120, cell: ({ network }) => <NetworkTag id={network} /> },
    {
      name: 'Matches',
      wraps: true,
      cell: (watch) => (
        <Stack gap="xs">
          <UntrustedText over="break" text={describeRules(watch.rules)} />
          <Small>{describeEffects(watch)}</Small>
        </Stack>
      ),
    },
    { name: 'State', cell: (watch) => <State watch={watch} /> },
    { name: 'Last match', wraps: true, cell: (watch) => <LastMatch watch={watch} /> },
    { name: 'Found', look: 'number', cell: ({ matches }) => formatNumber(matches) },
    {
      name: 'Actions',
      hideName: true,
      cell: (watch) => <Actions watch={watch} onEdit={() => onEdit(watch)} />,
    },
  ]
}

function Account({ watch: { network, address } }: { watch: Watch }) {
  return (
    <UntrustedText
      as="a"
      data-walk
      href={accountHref(address, network)}
      title={address}
      text={useAccountName({ network, account: address }) ?? ''}
    />
  )
}

/** Describes the rules of a watched account in one sentence. */
function describeRules(rules: readonly WatchRule[]): string {
  if (rules.length === 0) return 'Every transaction'
  const text = rules.map(describeRule).join(', or ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function describeRule(rule: WatchRule): string {
  switch (rule.kind) {
    case 'incoming':
      return `receives at least ${formatMoney(rule.units, 'TON')}`
    case 'failure':
      return 'any failure'
    case 'opcode':
      return `opcode ${formatOpcode(rule.opcode)}`
    case 'jetton':
      return `receives at least ${trimZeros(formatUnits(rule.units, rule.decimals))} ${rule.symbol}`
  }
}

const reportNames = { none: null, notice: 'notice', incident: 'incident' } as const

function describeEffects({ report, makesCaptures, isForwarded, deliveredBy }: Watch): string {
  const captures =
    deliveredBy !== null
      ? `captures by webhook ${deliveredBy}`
      : isForwarded
        ? 'captures, forwarded'
        : 'captures'
  const parts = [reportNames[report], makesCaptures ? captures : null].filter(
    (part) => part !== null,
  )
  return parts.length === 0 ? 'only counted' : parts.join(' · ')
}

function State({ watch }: { watch: Watch }) {
  const { isPaused, problem, isBehind, checkedAt, everyMs } = watch
  const every = `checks every ${formatDuration(everyMs * 1000)}`
  if (isPaused) return <Tag>paused</Tag>
  if (problem !== null) return <Tag tone="warn">waiting</Tag>
  return (
    <Stack gap="xs">
      <Row>
        <Tag tone="ok">{isBehind ? 'reading' : 'watching'}</Tag>
      </Row>
      <Small over="nowrap">
        {every}
        {checkedAt !== null && (
          <>
            , last <Moment at={fromMs(checkedAt)} />
          </>
        )}
      </Small>
    </Stack>
  )
}

function LastMatch({ watch: { lastMatch, network } }: { watch: Watch }) {
  if (lastMatch === null) return <Text tone="dim">none yet</Text>
  return (
    <Stack gap="xs">
      <UntrustedText
        as="a"
        href={transactionHref(lastMatch.hash, network)}
        text={renameCoin(lastMatch.what)}
      />
      <Small over="nowrap">
        <Moment at={fromMs(lastMatch.at)} />
      </Small>
    </Stack>
  )
}

/** Explains why an account is not checked, and which transactions were not read. */
function Trouble({ watch: { problem, gap } }: { watch: Watch }) {
  if (problem === null && gap === null) return false
  return (
    <Stack gap="xs">
      {problem !== null && (
        <Text size="s" tone="warn" over="break" role="status">
          {problem}
        </Text>
      )}
      {gap !== null && (
        <Small tone="warn" over="break">
          <Moment at={fromMs(gap.at)} />: <UntrustedText text={gap.why} />
        </Small>
      )}
    </Stack>
  )
}

function Actions({ watch, onEdit }: { watch: Watch; onEdit: () => void }) {
  const { id, network, isPaused, rules } = watch
  const name = nameOf(watch)
  const wallets = rules.flatMap((rule) => (rule.kind === 'jetton' ? [rule.wallet] : []))
  const accounts = [...new Set([watch.address, ...wallets])]
  const query = `origin:watched account:${accounts.map(quoteValue).join(',')}`
  const check = () => attempt('Could not check', () => request('watch.check', { network }))
  return (
    <Row gap="none" justify="end">
      <SmallLink href={queryHref(query)} aria-label={`Captures of ${name}`}>
        Captures
      </SmallLink>
      <IconButton
        icon="refresh"
        label={`Check ${name} now`}
        disabled={isPaused}
        onClick={() => void check()}
      />
      <IconButton
        icon={isPaused ? 'play' : 'pause'}
        label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
        onClick={() => void setPaused(id, !isPaused)}
      />
      <IconButton icon="note" label={`Edit ${name}`} onClick={onEdit} />
      <IconButton icon="trash" label={`Stop watching ${name}`} onClick={() => void remove(watch)} />
    </Row>
  )
}

async function setPaused(id: number, isPaused: boolean): Promise<void> {
  await attempt(`Could not ${isPaused ? 'pause' : 'resume'} the watch`, () =>
    request('watch.setPaused', { id, isPaused }),
  )
  reload('watch.list')
}

async function remove(watch: Watch): Promise<void> {
  await confirmAndRun({
    title: `Stop watching ${nameOf(watch)}?`,
    detail: 'Tondesk no longer checks this account. Captures that the watch made stay.',
    action: 'Stop watching',
    failure: 'Could not stop watching the account',
    run: () => request('watch.remove', { id: watch.id }),
  })
  reload('watch.list')
}
