/** The pages of NFTs: the NFTs of an account, a collection, and one item. */
import type { ReactNode } from 'react'
import type { Nft } from '../../../src-preload/contract/asset.ts'
import { request } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink, nameAccount } from '../../components/chain/account-link.tsx'
import { AssetPicture } from '../../components/chain/asset-picture.tsx'
import { assetHref } from '../../components/chain/chain-links.ts'
import { Amount, HashText } from '../../components/chain/chain-text.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import type { DataColumn } from '../../ui/data-list.tsx'
import { formatNumber, fromMs, shorten } from '../../ui/format.ts'
import { Hint, Pane, Row, Section, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { Verification } from './account-assets.tsx'
import { AssetHead, Description, PagedList } from './asset-list.tsx'
import { ChainLoaded, useChainData } from './chain-data.tsx'

/** Shows the NFTs that an account owns. */
export function NftsView({ address }: { address: string }) {
  const { id: network } = useShownNetwork()
  return (
    <Pane>
      <Row as="header" wrap pad="m" line="below">
        <Text as="h2" size="m">
          NFTs of
        </Text>
        <AccountLink account={{ address }} />
      </Row>
      <Nfts
        name="NFTs of the account"
        loadKey={`${network} account ${address}`}
        load={(offset) => request('asset.nfts', { network, address, offset })}
        others={[
          {
            name: 'Collection',
            width: 120,
            grow: 0.6,
            cell: ({ collection }) => collection && <Collection collection={collection} />,
          },
        ]}
        isSuspicious={isSuspicious}
        empty="The gateway lists no NFT of this account. NFTs on sale at a marketplace’s contract are not listed."
      />
    </Pane>
  )
}

const isSuspicious = ({ trust, collection, isOfCollection }: Nft): boolean =>
  /^(black|gray)list$/.test(trust) || (collection !== null && !isOfCollection)

/** Shows a collection and its items. */
export function CollectionView({ address }: { address: string }) {
  const { id: network } = useShownNetwork()
  const query = useChainData('asset.collection', { network, address })
  return (
    <ChainLoaded query={query} of="the NFT collection">
      {(collection) => (
        <Pane>
          <AssetHead
            name={collection.name || nameAccount(network, { address }, shorten)}
            trust={collection.trust}
            address={collection.account.address}
          >
            <Tag>collection</Tag>
          </AssetHead>
          <ListSplitter
            left={
              <Nfts
                name="Items of the collection"
                loadKey={`${network} collection ${address}`}
                load={(offset) => request('asset.collectionItems', { network, address, offset })}
                others={[
                  {
                    name: 'Owner',
                    width: 110,
                    grow: 0.6,
                    cell: ({ owner }) =>
                      owner && <AccountLink account={owner} canCopy={false} tabIndex={-1} />,
                  },
                ]}
                empty="The gateway lists no item of this collection."
              />
            }
            right={
              <Stack
                fill
                scroll
                gap="none"
                tabIndex={0}
                role="region"
                aria-label="Collection details"
              >
                <AssetPicture
                  of={{ network, kind: 'collection', address }}
                  link={collection.picture}
                  name={collection.name}
                />
                <Description text={collection.description} />
                <Section title="Collection">
                  <KeyValues
                    values={{
                      Items: collection.items === null ? null : formatNumber(collection.items),
                      Owner: collection.owner && <AccountLink account={collection.owner} />,
                      Contract: <AccountLink account={collection.account} />,
                      'Approved by': describeApproval(collection.approvedBy),
                      Updated: <Moment at={fromMs(collection.fetchedAt)} />,
                    }}
                  />
                </Section>
              </Stack>
            }
          />
        </Pane>
      )}
    </ChainLoaded>
  )
}

/** Shows one NFT. */
export function NftView({ address }: { address: string }) {
  const { id: network } = useShownNetwork()
  return (
    <ChainLoaded query={useChainData('asset.nft', { network, address })} of="the NFT">
      {({ nft, fetchedAt }) => (
        <Pane>
          <AssetHead name={nameOf(nft, network)} trust={nft.trust} address={nft.address}>
            <Tag>NFT</Tag>
            <NotOfCollection nft={nft} />
            {nft.sale !== null && <Tag tone="ok">on sale</Tag>}
          </AssetHead>
          <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="NFT details">
            <AssetPicture
              of={{ network, kind: 'nft', address }}
              link={nft.picture}
              name={nameOf(nft, network)}
            />
            <Description text={nft.description} />
            <NftFacts nft={nft} fetchedAt={fetchedAt} />
            <Section title="Attributes">
              {nft.attributes.length === 0 ? (
                <Hint>The NFT has no attributes.</Hint>
              ) : (
                <KeyValues
                  pairs={nft.attributes.map(({ name, value }) => [
                    <UntrustedText text={name} />,
                    <UntrustedText text={value} />,
                  ])}
                />
              )}
            </Section>
          </Stack>
        </Pane>
      )}
    </ChainLoaded>
  )
}

function NftFacts({ nft, fetchedAt }: { nft: Nft; fetchedAt: number }) {
  const { collection, sale, codeHash, dataHash } = nft
  return (
    <Section title="NFT">
      <KeyValues
        values={{
          Owner: nft.owner === null ? 'unknown' : <AccountLink account={nft.owner} />,
          Collection: collection === null ? 'none' : <Collection collection={collection} />,
          Index: nft.index && <Text over="break">{formatNumber(nft.index)}</Text>,
          Domain: nft.domain && <UntrustedText text={nft.domain} />,
          'Approved by': describeApproval(nft.approvedBy),
          Price:
            sale && (sale.price ? <Amount {...sale.price} /> : 'the gateway does not state it'),
          Marketplace: sale?.market && <AccountLink account={sale.market} />,
          Seller: sale?.seller && <AccountLink account={sale.seller} />,
          'Sale contract': sale && <AccountLink account={{ address: sale.contract }} />,
          Contract: <AccountLink account={{ address: nft.address }} />,
          'Code hash': codeHash && <HashText hash={codeHash} what="Code hash" />,
          'Data hash': dataHash && <HashText hash={dataHash} what="Data hash" />,
          Updated: <Moment at={fromMs(fetchedAt)} />,
        }}
      />
    </Section>
  )
}

function nameOf({ name, domain, index, address }: Nft, network: NetworkId): string {
  if (name !== '') return name
  if (domain !== null) return domain
  const isLong = index === null || index.length > 12
  return isLong ? nameAccount(network, { address }, shorten) : `No. ${index}`
}

const describeApproval = (by: readonly string[]): ReactNode =>
  by.length === 0 ? null : <UntrustedText text={by.join(', ')} />

function NotOfCollection({ nft }: { nft: Nft }) {
  if (nft.collection === null || nft.isOfCollection) return null
  return (
    <Tag tone="bad" title="The collection does not confirm that this item belongs to it.">
      not of the collection
    </Tag>
  )
}

function Collection({ collection }: { collection: NonNullable<Nft['collection']> }) {
  const { id } = useShownNetwork()
  const { address, name } = collection
  return (
    <UntrustedText
      as="a"
      over="cut"
      href={assetHref('collection', address, id)}
      title={address}
      text={name || nameAccount(id, { address }, shorten)}
    />
  )
}

function Nfts({
  others,
  empty,
  ...list
}: Pick<Parameters<typeof PagedList<Nft>>[0], 'name' | 'loadKey' | 'load' | 'isSuspicious'> & {
  others: DataColumn<Nft>[]
  empty: string
}) {
  const { id: network } = useShownNetwork()
  return (
    <PagedList<Nft>
      {...list}
      of="NFTs"
      thing="NFT"
      idOf={({ address }) => address}
      columns={[
        {
          name: 'Name',
          width: 140,
          grow: 1,
          cell: (nft) => <UntrustedText text={nameOf(nft, network)} />,
        },
        ...others,
        {
          name: 'Price',
          width: 130,
          gives: 1,
          look: 'number',
          cell: ({ sale }) => sale?.price && <Amount {...sale.price} />,
        },
        {
          name: 'Verification',
          width: 240,
          cell: (nft) => (
            <Row gap="xs">
              <NotOfCollection nft={nft} />
              <Verification verification={nft.trust} />
            </Row>
          ),
        },
      ]}
      onOpen={({ address }) => navigate({ page: 'explorer', network, view: 'nft', address })}
      empty={<EmptyState title="No NFTs" detail={empty} />}
    />
  )
}
