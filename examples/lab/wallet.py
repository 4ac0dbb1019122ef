"""Signs a payment of a wallet V4 with the standard library, so that the sample handler needs nothing else.

The arithmetic is not constant in time. Use a library, or a signer of its own, for real money.
"""

import base64
import hashlib
import hmac

WALLET_ID = 698983191
# Pay fees separately, ignore errors.
SEND_MODE = 3


def seed_of(words):
    """Returns the private key of 24 words."""
    entropy = hmac.digest(words.encode(), b"", "sha512")
    return hashlib.pbkdf2_hmac("sha512", entropy, b"TON default seed", 100_000, 64)[:32]


def sign_payment(seed, sender, to, amount, comment, seqno, valid_until):
    """Returns the bag of cells of an external message, in base64."""
    info = "0100" + "00" + address(to) + coins(amount) + "0" + "0000" + "0000" + bits(0, 96)
    message = Cell(info + "01", Cell(bits(0, 32) + bytes_bits(comment.encode())))
    order = bits(WALLET_ID, 32) + bits(valid_until, 32) + bits(seqno, 32) + bits(SEND_MODE, 16)
    body = Cell(bytes_bits(sign(seed, Cell(order, message).hash)) + order, message)
    return base64.b64encode(serialize(Cell("1000" + address(sender) + "0000" + "01", body))).decode()


def bits(value, length):
    return format(value, "b").zfill(length)


def bytes_bits(data):
    return "".join(bits(byte, 8) for byte in data)


def address(raw):
    return "100" + bits(0, 8) + bits(int(raw[2:], 16), 256)


def coins(amount):
    length = (amount.bit_length() + 7) // 8
    return bits(length, 4) + (bits(amount, length * 8) if length else "")


class Cell:
    def __init__(self, content, ref=None):
        full, rest = divmod(len(content), 8)
        if rest:
            content = (content + "1").ljust((full + 1) * 8, "0")
        data = bytes(int(content[start : start + 8], 2) for start in range(0, len(content), 8))
        self.start = bytes([0 if ref is None else 1, full + len(data)]) + data
        self.ref = ref
        self.depth = 0 if ref is None else ref.depth + 1
        end = b"" if ref is None else ref.depth.to_bytes(2) + ref.hash
        self.hash = hashlib.sha256(self.start + end).digest()


def serialize(root):
    """Each cell of a payment has at most one reference, which is the next cell."""
    cells = []
    while root is not None:
        cells.append(root.start + (b"" if root.ref is None else bytes([len(cells) + 1])))
        root = root.ref
    content = b"".join(cells)
    header = bytes([0xB5, 0xEE, 0x9C, 0x72, 1, 2, len(cells), 1, 0])
    return header + len(content).to_bytes(2) + b"\0" + content


# Ed25519 by RFC 8032, with points in extended coordinates.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def point_add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    return ((f - e) * (h - g) % P, (f + e) * (h + g) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P)


def point_multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        scalar >>= 1
    return result


BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
BASE_Y = 4 * pow(5, -1, P) % P
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def compress(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def hash_number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def sign(seed, message):
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    public = compress(point_multiply(secret, BASE))
    nonce = hash_number(digest[32:], message)
    point = compress(point_multiply(nonce, BASE))
    proof = (nonce + hash_number(point, public, message) * secret) % ORDER
    return point + proof.to_bytes(32, "little")
