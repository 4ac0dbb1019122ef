import type { ReactNode } from 'react'
import type { AccountView, JettonBalance } from '../../../../src-preload/contract/index.ts'
import { formatUnits } from '../../../amount.ts'
import { fromMs } from '../../../format.ts'
import { Moment } from '../../../moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { toggleAddressForm, useAddressForm } from '../../address.tsx'
import { Amount, symbolOf } from '../../chain/amount.tsx'
import { accountHref } from '../../chain/chain-links.ts'
import { HashText } from '../../chain/hash-text.tsx'
import { useShownNetwork } from '../../chain/of-network.tsx'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import styles from './account.module.css'

export function AccountFacts({ account: view }: { account: AccountView }) {
  const form = useAddressForm((state) => state.form)
  const { forms } = view
  return (
    <div className={pane['facts']} tabIndex={0} role="region" aria-label="Account">
      {view.note !== '' && (
        <p className={styles['note']}>
          <UntrustedText text={view.note} />
        </p>
      )}
      <Section
        title="Addresses"
        end={
          <Button kind="quiet" onClick={toggleAddressForm} title="Raw or friendly addresses">
            {form === 'raw' ? 'Raw addresses' : 'Friendly addresses'}
          </Button>
        }
      >
        <KeyValues
          pairs={[
            ['Bounceable', <Form key="b" address={forms.bounceable} />],
            ['Non-bounceable', <Form key="n" address={forms.nonBounceable} />],
            ['Raw', <Form key="r" address={forms.raw} />],
          ]}
        />
      </Section>
      <Section title="Account">
        <KeyValues
          pairs={[
            ['Balance', <Amount key="b" units={view.balance} />],
            [
              'Last activity',
              view.lastActivity === null ? (
                'never'
              ) : (
                <Moment key="m" at={fromMs(view.lastActivity)} />
              ),
            ],
            [
              'Name',
              view.account.name === null ? null : (
                <UntrustedText key="u" text={view.account.name} />
              ),
            ],
            ['Wallet', view.walletKind],
            [
              'Interfaces',
              view.interfaces.length === 0 ? null : <Words key="i" words={view.interfaces} />,
            ],
            [
              'Get methods',
              view.getMethods.length === 0 ? null : <Words key="g" words={view.getMethods} />,
            ],
            ['Seen', <Moment key="s" at={fromMs(view.fetchedAt)} />],
          ]}
        />
      </Section>
      <Section title={jettonTitle(view.jettons)}>
        <Jettons jettons={view.jettons} />
      </Section>
    </div>
  )
}

function Section({
  title,
  end,
  children,
}: {
  title: string
  end?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={pane['section']} aria-label={title}>
      <div className={styles['sectionHead']}>
        <h3>{title}</h3>
        {end}
      </div>
      {children}
    </section>
  )
}

function Form({ address }: { address: string }) {
  return <HashText hash={address} whole what="Address" />
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <span className={styles['words']}>
      {words.map((word) => (
        <Tag key={word}>
          <UntrustedText text={word} />
        </Tag>
      ))}
    </span>
  )
}

function jettonTitle(jettons: readonly JettonBalance[] | null): string {
  return jettons === null || jettons.length === 0 ? 'Jettons' : `Jettons (${jettons.length})`
}

function Jettons({ jettons }: { jettons: readonly JettonBalance[] | null }) {
  const { id } = useShownNetwork()
  if (jettons === null) return <p className={styles['none']}>They could not be had this time.</p>
  if (jettons.length === 0) return <p className={styles['none']}>It holds none.</p>
  return (
    <table className={classes(table['table'], styles['jettons'])}>
      <thead>
        <tr>
          <th scope="col">Jetton</th>
          <th scope="col" className={table['number']}>
            Balance
          </th>
          <th scope="col">
            <span className={text['hidden']}>Verification</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {jettons.map(({ asset, name, balance, walletAddress, verification }) => (
          <tr key={walletAddress}>
            <td>
              <a
                href={accountHref(walletAddress, id)}
                title={`${name}\nIts wallet ${walletAddress}`}
              >
                <UntrustedText text={symbolOf(asset)} />
              </a>
            </td>
            <td className={classes(table['number'], text['mono'])}>
              {formatUnits(balance, asset.decimals)}
            </td>
            <td>
              {verification === 'blacklist' && <Tag tone="bad">blacklisted</Tag>}
              {verification === 'graylist' && <Tag tone="warn">doubtful</Tag>}
              {verification === 'none' && (
                <Tag title="Anyone can make a jetton with this name.">not verified</Tag>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
