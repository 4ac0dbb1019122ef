import { type ReactNode } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../src-preload/contract/network.ts'
import { type AccountsView, lookupsHome } from '../../app/chain-route.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { navigate, useRoute } from '../../app/route.ts'
import { Button, Chip } from '../../ui/button.tsx'
import { Kbd, Row, Stack } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { ForeignLink } from '../../components/chain/network-page.tsx'
import { ViewBar } from '../../components/page-views.tsx'
import { NetworksAwaited } from '../../components/networks-awaited.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { AddressBook } from './address-book.tsx'
import { LookupView } from './lookup-view.tsx'
import type { LookupJetton, LookupJob } from '../../../src-preload/contract/lookup.ts'
import { useData, request } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { useJobs } from '../../components/jobs/job-kind.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatNumber, formatCount } from '../../ui/format.ts'
import { lookupJobs, lookupRoute } from './lookups.tsx'
import { countAll } from '../../components/address-list/line-labels.ts'
import { createAddressList } from '../../components/address-list/address-list.ts'
import { ListEntry } from '../../components/address-list/list-entry.tsx'
import { TextField, SelectField } from '../../ui/form.tsx'

/** The list is kept while the user looks at other pages. */
const list = createAddressList()

const currencies = [
  { value: 'none', label: 'None' },
  ...(['usd', 'eur', 'gbp', 'cny', 'rub', 'btc', 'eth'] as const).map((value) => ({
    value,
    label: value.toUpperCase(),
  })),
] as const

type Currency = (typeof currencies)[number]['value']

const useOptions = create<{
  readonly name: string
  readonly currency: Currency
  /** The jettons that belong to `network` only. */
  readonly jettons: readonly LookupJetton[]
  readonly network: string
}>(() => ({ name: '', currency: 'none', jettons: [], network: '' }))

const jettonsOf = (network: string) => {
  const options = useOptions.getState()
  return options.network === network ? options.jettons : []
}

async function start(draft: string, network: string): Promise<void> {
  const { name, currency } = useOptions.getState()
  const fileName = list.store.getState().file?.name ?? ''
  const job = await request('lookup.start', {
    draft,
    name: name.trim() === '' ? fileName.slice(0, 100) : name,
    currency: currency === 'none' ? null : currency,
    jettons: jettonsOf(network).map(({ address }) => address),
  })
  useOptions.setState({ name: '' })
  lookupJobs.begun(job)
  navigate(lookupRoute(job))
}

function Options() {
  const { name, currency } = useOptions()
  const fileName = list.store((state) => state.file?.name)
  return (
    <Row gap="l" align="start">
      <Stack grow>
        <TextField
          label="Name"
          placeholder={fileName ?? 'Optional'}
          maxLength={100}
          value={name}
          onChange={(next) => useOptions.setState({ name: next })}
        />
      </Stack>
      <SelectField
        label="Second currency for balances"
        value={currency}
        onChange={(next) => useOptions.setState({ currency: next })}
        options={currencies}
      />
    </Row>
  )
}

/** The choice of the jettons whose balances are looked up with each account. */
function Jettons({ network }: { network: string }) {
  useOptions()
  const chosen = jettonsOf(network)
  const { jettons: used = [], most = 1 } = useData('lookup.usedJettons', { network }).data ?? {}
  const choose = (jettons: readonly LookupJetton[]) => useOptions.setState({ network, jettons })
  const isChosen = ({ address }: LookupJetton) => chosen.some((each) => each.address === address)
  const isFull = chosen.length >= most

  const addition = useForm(
    { text: '' },
    async ({ text }) => {
      if (text.trim() === '' || isFull) return
      const found = await request('lookup.jetton', { network, text })
      const before = jettonsOf(network).filter(({ address }) => address !== found.address)
      choose([...before, found])
    },
    { clears: true },
  )
  const { value, onChange, error } = addition.field('text')

  return (
    <Stack gap="s">
      <TextField
        label="Jettons"
        placeholder="Address of a jetton, or a link to it"
        hint={`Optional, at most ${most}. Tondesk computes the wallets on this computer and reads their balances in bulk.`}
        error={error ?? addition.problem ?? undefined}
        value={value}
        disabled={isFull}
        onChange={onChange}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Enter in this field would start the lookup.
          event.preventDefault()
          addition.submit()
        }}
      />
      <Row gap="s" wrap>
        <Button
          busy={addition.busy}
          disabled={value.trim() === '' || isFull}
          onClick={addition.submit}
        >
          Add jetton
        </Button>
        {chosen.map((jetton) => (
          <Chip
            key={jetton.address}
            pressed
            title={`Remove ${jetton.name} (${jetton.verification}, ${formatCount(jetton.decimals, 'decimal')}, ${jetton.address})`}
            onPress={() => choose(chosen.filter(({ address }) => address !== jetton.address))}
          >
            {jetton.symbol} ×
          </Chip>
        ))}
        {!isFull &&
          used
            .filter((jetton) => !isChosen(jetton))
            .map((jetton) => (
              <Chip
                key={jetton.address}
                pressed={false}
                title={`Add ${jetton.name} (${jetton.address})`}
                onPress={() => choose([...chosen, jetton])}
              >
                {jetton.symbol}
              </Chip>
            ))}
      </Row>
    </Stack>
  )
}

/** Shows bulk lookups and the address book. */
export function LookupsPage() {
  const route = useRoute((state) => state.route)
  const view: AccountsView = route.page === 'lookups' ? route : { view: 'home' }
  useShortcuts([{ keys: ['n'], label: 'New lookup', group: 'Accounts', run: openNew }])
  return (
    <Page
      title="Accounts"
      scroll={view.view === 'home'}
      beside={<ViewBar />}
      actions={view.view !== 'new' && <NewButton kind={view.view === 'home' ? 'main' : 'plain'} />}
    >
      <View view={view} />
    </Page>
  )
}

const openNew = (): void => navigate({ ...lookupsHome, view: 'new' })

function NewButton({ kind }: { kind: 'main' | 'plain' }) {
  return (
    <Button icon="plus" kind={kind} onClick={openNew}>
      New lookup <Kbd>n</Kbd>
    </Button>
  )
}

function View({ view }: { view: AccountsView }) {
  switch (view.view) {
    case 'home':
      return <LookupList />
    case 'job':
      return <LookupView id={view.id} />
    case 'new':
      return (
        <OnNetwork>
          {(network) => (
            <ListEntry
              list={list}
              network={network}
              title="New lookup"
              action={(valid) =>
                valid === 0 ? 'Look up' : `Look up ${formatCount(valid, 'account')}`
              }
              onHand={(draft) => start(draft, network.id)}
            >
              <Options />
              <Jettons key={network.id} network={network.id} />
            </ListEntry>
          )}
        </OnNetwork>
      )
    case 'labels':
      return (
        <OnNetwork>{(network) => <AddressBook key={network.id} network={network} />}</OnNetwork>
      )
  }
}

/** Shows content about the chosen network, unless the link names another network. */
function OnNetwork({ children }: { children: (network: Network) => ReactNode }) {
  const network = useCurrentNetwork()
  const route = useRoute((state) => state.route)
  const of = route.page === 'lookups' ? route.network : null
  if (network === null) return <NetworksAwaited />
  if (of === null || of === network.id || route.page !== 'lookups') return children(network)
  const stay = () => navigate({ ...route, network: null }, { replace: true })
  return <ForeignLink id={of} shown={network} stay={`Stay on ${network.name}`} onStay={stay} />
}

/** Lists the lookups of all networks. */
function LookupList() {
  return (
    <Loaded query={useJobs('lookup')} of="the lookups">
      {(jobs) =>
        jobs.length === 0 ? (
          <EmptyState
            title="Look up many accounts at once"
            detail="Paste or drop a list of addresses in any form. Tondesk looks up the status, balance, wallet type and last activity of each account. You can sort, filter and export the results, and run the lookup again later to see what changed."
          >
            <NewButton kind="main" />
          </EmptyState>
        ) : (
          <lookupJobs.JobTable
            jobs={jobs}
            of="Lookups"
            group="Accounts"
            columns={[
              { name: 'Network', width: 120, cell: ({ network }) => <NetworkTag id={network} /> },
              { name: 'Skipped lines', look: 'number', cell: formatSkipped },
            ]}
          />
        )
      }
    </Loaded>
  )
}

function formatSkipped({ counts }: LookupJob): string {
  const skipped = countAll(counts) - counts.valid
  return skipped > 0 ? formatNumber(skipped) : ''
}
