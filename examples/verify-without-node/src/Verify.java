import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies a delivery with the standard library of Java 17: schemes v1 and v1a. */
public class Verify {
  private static final byte[] SPKI_HEADER = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final long TOLERANCE_SEC = 300;

  /** `key` is whpk_… or whsec_…; `body` the bytes as they came, before any JSON parser. */
  public static boolean verify(String key, String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    if (!timestamp.matches("\\d{1,12}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > TOLERANCE_SEC) return false;
    byte[] content = concat((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), body);
    for (String entry : signatures.split(" ")) {
      String[] parts = entry.split(",", 2);
      if (parts.length == 2 && isSigned(key, content, parts[0], parts[1])) return true;
    }
    return false;
  }

  private static boolean isSigned(String key, byte[] content, String scheme, String text)
      throws GeneralSecurityException {
    byte[] raw = Base64.getDecoder().decode(key.substring(key.indexOf('_') + 1));
    try {
      byte[] signature = Base64.getDecoder().decode(text);
      if (key.startsWith("whsec_")) {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(raw, "HmacSHA256"));
        return scheme.equals("v1") && MessageDigest.isEqual(mac.doFinal(content), signature);
      }
      Signature verifier = Signature.getInstance("Ed25519");
      X509EncodedKeySpec encoded = new X509EncodedKeySpec(concat(SPKI_HEADER, raw));
      verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(encoded));
      verifier.update(content);
      return scheme.equals("v1a") && verifier.verify(signature);
    } catch (IllegalArgumentException | java.security.SignatureException malformed) {
      return false;
    }
  }

  private static byte[] concat(byte[] first, byte[] second) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(first);
    whole.writeBytes(second);
    return whole.toByteArray();
  }

  public static void main(String[] args) throws Exception {
    byte[] body = System.in.readAllBytes();
    String id = System.getenv("WEBHOOK_ID");
    String timestamp = System.getenv("WEBHOOK_TIMESTAMP");
    String signatures = System.getenv("WEBHOOK_SIGNATURE");
    for (String key : args) if (verify(key, id, timestamp, signatures, body)) System.exit(0);
    System.exit(1);
  }
}
