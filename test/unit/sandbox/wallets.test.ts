import { mnemonicToPrivateKey } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { expect, test } from 'vitest'
import { developmentWallets, faucetWallet } from '../../../src-main/sandbox/chain/wallets.ts'

test('each stored key is derived from its mnemonic, so that a wallet app can use the mnemonic', async () => {
  for (const { mnemonic, publicKey, secretKey, address } of [...developmentWallets, faucetWallet]) {
    const derived = await mnemonicToPrivateKey([...mnemonic])
    expect(mnemonic).toHaveLength(24)
    expect(derived.publicKey.equals(publicKey)).toBe(true)
    expect(derived.secretKey.equals(secretKey)).toBe(true)
    expect(WalletContractV4.create({ workchain: 0, publicKey }).address.equals(address)).toBe(true)
  }
})

test('the ten wallets and the merchant each have a name and an address of their own', () => {
  expect(developmentWallets.map(({ name }) => name)).toEqual([
    ...Array.from({ length: 10 }, (_, index) => `wallet-${index + 1}`),
    'merchant',
  ])
  expect(new Set(developmentWallets.map(({ address }) => address.toRawString())).size).toBe(11)
})
