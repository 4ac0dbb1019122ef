/** Shows a jetton and its holders. */
import type { JettonHolder, JettonPage } from '../../../src-preload/contract/asset.ts'
import type { Asset } from '../../../src-preload/contract/chain/references.ts'
import { emptyFilter } from '../../app/chain-route.ts'
import { request } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { formatAsset } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { AssetPicture } from '../../components/chain/asset-picture.tsx'
import { Amount, AssetSymbol, HashText, symbolOf } from '../../components/chain/chain-text.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import type { DataColumn } from '../../ui/data-list.tsx'
import { formatNumber, formatShare, fromMs } from '../../ui/format.ts'
import { Pane, Section, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { AssetHead, Description, PagedList } from './asset-list.tsx'
import { ChainLoaded, useChainData } from './chain-data.tsx'

/** Shows a jetton, given the address of its master contract. */
export function JettonView({ address }: { address: string }) {
  const network = useShownNetwork().id
  return (
    <ChainLoaded query={useChainData('asset.jetton', { network, address })} of="the jetton">
      {(jetton) => (
        <Pane>
          <AssetHead
            name={jetton.name === '' ? symbolOf(jetton.asset) : jetton.name}
            trust={jetton.verification}
            address={jetton.account.address}
          >
            <Tag>
              <AssetSymbol asset={jetton.asset} />
            </Tag>
          </AssetHead>
          <ListSplitter
            left={
              <PagedList<JettonHolder>
                name="Holders"
                of="holders"
                thing="holder"
                loadKey={`${network} ${jetton.account.address}`}
                load={(offset) =>
                  request('asset.holders', { network, address: jetton.account.address, offset })
                }
                idOf={({ wallet }) => wallet}
                columns={holderColumns(jetton)}
                onOpen={({ owner, wallet }) => openAccount(owner?.address ?? wallet, network)}
                empty={
                  <EmptyState
                    title="No holders"
                    detail="The gateway lists no account that has this jetton."
                  />
                }
              />
            }
            right={<JettonFacts jetton={jetton} />}
          />
        </Pane>
      )}
    </ChainLoaded>
  )
}

function openAccount(address: string, network: string): void {
  navigate({ page: 'explorer', network, view: 'account', address, filter: emptyFilter })
}

function holderColumns({ asset, supply }: JettonPage): DataColumn<JettonHolder>[] {
  return [
    { name: 'No.', width: 44, look: 'number', cell: (_, index) => formatNumber(index + 1) },
    {
      name: 'Owner',
      width: 110,
      grow: 1,
      cell: ({ owner }) =>
        owner === null ? (
          <Text tone="dim">unknown</Text>
        ) : (
          <AccountLink account={owner} canCopy={false} tabIndex={-1} />
        ),
    },
    {
      name: 'Balance',
      width: 150,
      grow: 0.4,
      look: 'amount',
      cell: ({ balance }) => formatAsset(balance, asset),
    },
    {
      name: 'Share',
      width: 70,
      gives: 1,
      look: 'number',
      cell: ({ balance }) => formatShare(BigInt(balance), BigInt(supply)) ?? '',
    },
    {
      name: 'Jetton wallet',
      width: 110,
      gives: 2,
      cell: ({ wallet }) => (
        <AccountLink account={{ address: wallet }} canCopy={false} tabIndex={-1} show="address" />
      ),
    },
  ]
}

function JettonFacts({ jetton }: { jetton: JettonPage }) {
  const { asset, admin, codeHash, dataHash, description, links } = jetton
  return (
    <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Jetton details">
      <AssetPicture
        of={{ network: jetton.network, kind: 'jetton', address: jetton.account.address }}
        link={jetton.picture}
        name={jetton.name}
      />
      <Description text={description} />
      <Section title="Jetton">
        <KeyValues
          values={{
            Supply: <Amount units={jetton.supply} asset={asset} />,
            Decimals: formatNumber(asset.decimals),
            'Display multiplier': asset.scale && describeScale(asset.scale),
            Holders: jetton.holders === null ? null : formatNumber(jetton.holders),
            Mintable: jetton.isMintable ? 'yes' : 'no',
            Admin: admin === null ? 'none' : <AccountLink account={admin} />,
            'Master contract': <AccountLink account={jetton.account} />,
            Interfaces: jetton.interfaces.length === 0 ? null : jetton.interfaces.join(', '),
            'Code hash': codeHash && <HashText hash={codeHash} what="Code hash" />,
            'Data hash': dataHash && <HashText hash={dataHash} what="Data hash" />,
            Updated: <Moment at={fromMs(jetton.fetchedAt)} />,
          }}
        />
      </Section>
      {links.length > 0 && (
        <Section
          title="Links"
          detail="The maker of the jetton wrote these links. Tondesk did not check them."
        >
          <ul>
            {links.map((link) => (
              <UntrustedText as="li" key={link} over="break" mono text={link} />
            ))}
          </ul>
        </Section>
      )}
    </Stack>
  )
}

function describeScale({ numerator, denominator }: NonNullable<Asset['scale']>): string {
  return `${formatNumber(numerator)} / ${formatNumber(denominator)}`
}
