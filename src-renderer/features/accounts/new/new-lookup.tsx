import { useId } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../bridge.ts'
import { accountsHome } from '../../../chain-route.ts'
import { formatCount } from '../../../format.ts'
import { navigate } from '../../../route.ts'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { createAddressList } from '../../address-list/address-list.ts'
import { ListEntry } from '../../address-list/list-entry.tsx'
import { SandboxWallets } from '../../address-list/sandbox-wallets.tsx'
import { NetworkTag } from '../../network-tag.tsx'
import { lookups } from '../lookups.ts'
import { currencies, useLookupOptions } from './lookup-options.ts'
import styles from './new-lookup.module.css'

/** It stays while one looks at other pages. */
const list = createAddressList()

/** Puts a list together to be looked up. */
export function NewLookup({ network }: { network: Network }) {
  return (
    <ListEntry
      list={list}
      network={network}
      title="New lookup"
      action={(valid) => (valid === 0 ? 'Look up' : `Look up ${formatCount(valid, 'account')}`)}
      where={
        <>
          on <NetworkTag id={network.id} />
        </>
      }
      onHand={start}
      offer={<SandboxWallets list={list} network={network} />}
    >
      <Options />
    </ListEntry>
  )
}

async function start(draft: string): Promise<void> {
  const { name, currency } = useLookupOptions.getState()
  const fileName = list.store.getState().file?.name ?? ''
  const job = await request('lookup.start', {
    draft,
    name: name.trim() === '' ? fileName.slice(0, 100) : name,
    currency: currency === 'none' ? null : currency,
  })
  useLookupOptions.setState({ name: '' })
  // Its page would say that there is no such lookup.
  await lookups.reload()
  navigate({ ...accountsHome, view: 'job', id: job.id })
}

function Options() {
  const { name, currency } = useLookupOptions()
  const fileName = list.store((state) => state.file?.name)
  const currencyId = useId()
  return (
    <div className={styles['options']}>
      <TextField
        label="Name"
        placeholder={fileName ?? 'Chosen for you when left empty'}
        maxLength={100}
        value={name}
        onChange={(next) => useLookupOptions.setState({ name: next })}
      />
      <div className={styles['field']}>
        <label className={styles['label']} htmlFor={currencyId}>
          Balances also in
        </label>
        <Select
          id={currencyId}
          label="Balances also in"
          value={currency}
          onChange={(next) => useLookupOptions.setState({ currency: next })}
          options={currencies}
        />
      </div>
    </div>
  )
}
