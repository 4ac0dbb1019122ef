import type { ReactNode } from 'react'
import type { AccountView, Asset, JettonBalance } from '../../../../src-preload/contract/chain.ts'
import { formatAsset, formatUnits } from '../../../components/amount.ts'
import { formatDay, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { toggleAddressForm, useAddressForm } from '../../../components/address.tsx'
import { Amount, symbolOf } from '../../../components/chain/amount.tsx'
import { accountHref } from '../../../components/chain/chain-links.ts'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
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
              'Extra currencies',
              view.extra.length === 0
                ? null
                : view.extra.map(({ asset, units }) => (
                    <div key={asset.extraCurrency}>
                      <Amount units={units} asset={asset} />
                    </div>
                  )),
            ],
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
        {view.unreadJettons.map((why) => (
          <p key={why} className={styles['none']}>
            A jetton could not be read and is left out: <UntrustedText text={why} />
          </p>
        ))}
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

/** Rounded to cents: a rate is no more exact than that. */
function worthOf(units: string, { decimals }: Asset, price: number): string {
  return ((Number(units) / 10 ** decimals) * price).toFixed(2)
}

function Jettons({ jettons }: { jettons: readonly JettonBalance[] | null }) {
  const { id } = useShownNetwork()
  if (jettons === null) return <p className={styles['none']}>The jettons could not be loaded.</p>
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
        {jettons.map(({ asset, name, balance, walletAddress, verification, lock, priceUsd }) => (
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
              <span title={asset.scale && `${formatUnits(balance, asset.decimals)} on the chain`}>
                {formatAsset(balance, asset)}
              </span>
              {priceUsd !== null && asset.scale === undefined && (
                <div className={text['faint']} title="At the gateway’s rate, for reading only">
                  ≈ {worthOf(balance, asset, priceUsd)} USD
                </div>
              )}
              {lock !== null && (
                <div className={text['faint']}>
                  of it {formatAsset(lock.units, asset)} locked until{' '}
                  {formatDay(fromMs(lock.until), 0)}
                </div>
              )}
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
