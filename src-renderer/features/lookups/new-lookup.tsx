import { useId } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../src-preload/contract/network.ts'
import { request } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { createAddressList } from '../../components/address-list/address-list.ts'
import { ListEntry } from '../../components/address-list/list-entry.tsx'
import { formatCount } from '../../ui/format.ts'
import { Row, Stack, Text } from '../../ui/layout.tsx'
import { Select, TextField } from '../../ui/form.tsx'
import { lookupJobs, lookupRoute } from './lookups.tsx'

/** It stays while the user looks at other pages. */
const list = createAddressList()

const currencies = [
  { value: 'none', label: 'None' },
  ...(['usd', 'eur', 'gbp', 'cny', 'rub', 'btc', 'eth'] as const).map((value) => ({
    value,
    label: value.toUpperCase(),
  })),
] as const

type Currency = (typeof currencies)[number]['value']

const useOptions = create<{ readonly name: string; readonly currency: Currency }>(() => ({
  name: '',
  currency: 'none',
}))

export function NewLookup({ network }: { network: Network }) {
  return (
    <ListEntry
      list={list}
      network={network}
      title="New lookup"
      action={(valid) => (valid === 0 ? 'Look up' : `Look up ${formatCount(valid, 'account')}`)}
      onHand={start}
    >
      <Options />
    </ListEntry>
  )
}

async function start(draft: string): Promise<void> {
  const { name, currency } = useOptions.getState()
  const fileName = list.store.getState().file?.name ?? ''
  const job = await request('lookup.start', {
    draft,
    name: name.trim() === '' ? fileName.slice(0, 100) : name,
    currency: currency === 'none' ? null : currency,
  })
  useOptions.setState({ name: '' })
  lookupJobs.begun(job)
  navigate(lookupRoute(job))
}

function Options() {
  const { name, currency } = useOptions()
  const fileName = list.store((state) => state.file?.name)
  const id = useId()
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
      <Stack gap="xs">
        <Text as="label" size="s" strong htmlFor={id}>
          Balances also in
        </Text>
        <Select
          id={id}
          label="Balances also in"
          value={currency}
          onChange={(next) => useOptions.setState({ currency: next })}
          options={currencies}
        />
      </Stack>
    </Row>
  )
}
