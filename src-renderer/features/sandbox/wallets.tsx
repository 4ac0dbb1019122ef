import { useRef } from 'react'
import type { SandboxChain, SandboxWallet } from '../../../src-preload/contract/sandbox.ts'
import { formatAmount } from '../../components/amount.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Menu } from '../../ui/menu.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import {
  Address,
  copyAddress,
  toggleAddressForm,
  useAddressForm,
} from '../../components/address.tsx'
import { openAct, useAct } from './act-state.ts'
import { useWalletKeys } from './use-sandbox-keys.ts'
import { showWords } from './words-dialog.tsx'
import styles from './sandbox.module.css'

/** The play wallets with what they hold. A wallet's name chooses it as the one that pays. */
export function Wallets({ chain: { wallets } }: { chain: SandboxChain }) {
  const form = useAddressForm((state) => state.form)
  const from = useAct((state) => state.from)
  const body = useRef<HTMLTableSectionElement>(null)
  useWalletKeys(body)
  return (
    <section aria-label="Wallets">
      <div className={styles['listHead']}>
        <h2>Wallets</h2>
        <span className={styles['end']}>
          <Button kind="quiet" onClick={toggleAddressForm} title="Raw or friendly addresses">
            {form === 'raw' ? 'Raw addresses' : 'Friendly addresses'}
          </Button>
        </span>
      </div>
      <table className={classes(table['table'], styles['wallets'])}>
        <thead>
          <tr>
            <th scope="col">Wallet</th>
            <th scope="col">Address</th>
            <th scope="col" className={table['number']}>
              TON
            </th>
            <th scope="col" className={table['number']}>
              USDT
            </th>
            <th scope="col" className={styles['narrow']}>
              <span className={text['hidden']}>Actions</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {wallets.map((wallet) => (
            <Row key={wallet.name} wallet={wallet} chosen={wallet.name === from} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ wallet, chosen }: { wallet: SandboxWallet; chosen: boolean }) {
  const { name, address, friendly, balance, usdt } = wallet
  return (
    <tr className={classes(styles['row'], chosen && styles['chosen'])}>
      <td>
        <button
          type="button"
          data-wallet={name}
          className={styles['name']}
          title={`Pay from ${name}`}
          aria-pressed={chosen}
          onClick={() => useAct.setState({ from: name })}
        >
          {name}
        </button>
      </td>
      <td>
        <Address raw={address} friendly={friendly} />
      </td>
      <td className={classes(table['number'], text['mono'])}>{formatAmount(balance, 'TON')}</td>
      <td className={classes(table['number'], text['mono'])}>{formatAmount(usdt, 'USDT')}</td>
      <td className={table['number']}>
        <Menu
          trigger={<IconButton icon="more" label={`Actions of ${name}`} />}
          items={[
            {
              label: 'Send from it',
              icon: 'send',
              onSelect: () => openAct('send', { from: name }),
            },
            { label: 'Send to it', icon: 'down', onSelect: () => openAct('send', { to: name }) },
            { label: 'Faucet', icon: 'drop', onSelect: () => openAct('faucet', { to: name }) },
            'line',
            {
              label: 'Copy the friendly address',
              icon: 'copy',
              onSelect: () => void copyAddress(friendly),
            },
            {
              label: 'Copy the raw address',
              icon: 'copy',
              onSelect: () => void copyAddress(address),
            },
            'line',
            { label: 'Show recovery words…', icon: 'eye', onSelect: () => showWords(name) },
          ]}
        />
      </td>
    </tr>
  )
}
