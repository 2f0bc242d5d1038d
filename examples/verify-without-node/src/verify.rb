# Verifies a delivery with the standard library: schemes v1 and v1a.
require 'base64'
require 'openssl'

SPKI_HEADER = ['302a300506032b6570032100'].pack('H*')

def signed?(key, content, scheme, signature)
  kind, text = key.split('_', 2)
  raw = Base64.strict_decode64(text)
  if kind == 'whsec'
    return scheme == 'v1' && OpenSSL.secure_compare(OpenSSL::HMAC.digest('SHA256', raw, content), signature)
  end
  scheme == 'v1a' && OpenSSL::PKey.read(SPKI_HEADER + raw).verify(nil, signature, content)
end

# `key` is whpk_… or whsec_…; `body` the bytes as they came, before any JSON parser.
def verify(key, id, timestamp, signatures, body, tolerance: 300)
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= tolerance

  content = "#{id}.#{timestamp}.".b + body.b
  signatures.split(' ').any? do |entry|
    scheme, text = entry.split(',', 2)
    signed?(key, content, scheme, Base64.decode64(text.to_s))
  end
end

if $PROGRAM_NAME == __FILE__
  headers = %w[WEBHOOK_ID WEBHOOK_TIMESTAMP WEBHOOK_SIGNATURE].map { |name| ENV.fetch(name) }
  body = $stdin.binmode.read
  exit(ARGV.any? { |key| verify(key, *headers, body) } ? 0 : 1)
end
