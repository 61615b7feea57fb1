"""What OpenCV's OpenCL kernels make of one picture of noise: opencv.py filter|geometry|core|features prints a digest of each result."""
import hashlib
import sys

import cv2
import numpy as np

NOISE = np.random.RandomState(1)
GRAY = NOISE.randint(0, 255, (240, 320), dtype=np.uint8)
COLOUR = NOISE.randint(0, 255, (240, 320, 3), dtype=np.uint8)
REAL = NOISE.rand(240, 320).astype(np.float32)
gray, colour, real = cv2.UMat(GRAY), cv2.UMat(COLOUR), cv2.UMat(REAL)


def show(name, result):
    values = np.ascontiguousarray(result.get() if hasattr(result, 'get') else result)
    print(name, values.shape, hashlib.sha256(values.tobytes()).hexdigest()[:16])


def filters():
    show('blur', cv2.blur(gray, (5, 5)))
    show('gauss', cv2.GaussianBlur(colour, (7, 7), 1.5))
    show('median', cv2.medianBlur(gray, 5))
    show('sobel', cv2.Sobel(gray, cv2.CV_16S, 1, 0))
    show('laplace', cv2.Laplacian(gray, cv2.CV_16S))
    show('erode', cv2.erode(gray, np.ones((3, 3), np.uint8)))
    show('bilateral', cv2.bilateralFilter(gray, 5, 50, 50))
    show('filter2D', cv2.filter2D(real, -1, np.ones((3, 3), np.float32) / 9))


def geometry():
    affine = np.float32([[1, .1, 3], [.1, 1, 4]])
    show('resize', cv2.resize(colour, (160, 120), interpolation=cv2.INTER_LINEAR))
    show('area', cv2.resize(gray, (160, 120), interpolation=cv2.INTER_AREA))
    show('affine', cv2.warpAffine(gray, affine, (320, 240)))
    show('perspective', cv2.warpPerspective(gray, np.float32([*affine, [.0001, 0, 1]]), (320, 240)))
    show('down', cv2.pyrDown(colour))
    show('up', cv2.pyrUp(gray))
    show('flip', cv2.flip(colour, 1))
    show('transpose', cv2.transpose(gray))
    show('border', cv2.copyMakeBorder(gray, 3, 3, 3, 3, cv2.BORDER_REFLECT))


def core():
    show('add', cv2.add(gray, gray))
    show('multiply', cv2.multiply(real, real))
    show('grey', cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY))
    show('hsv', cv2.cvtColor(colour, cv2.COLOR_BGR2HSV))
    show('histogram', cv2.calcHist([gray], [0], None, [256], [0, 256]))
    show('equalize', cv2.equalizeHist(gray))
    show('exp', cv2.exp(real))
    show('gemm', cv2.gemm(real, cv2.transpose(real), 1, None, 0))
    show('reduce', cv2.reduce(gray, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S))
    show('dft', cv2.dft(real))
    print(cv2.sumElems(gray), cv2.norm(real), cv2.minMaxLoc(real), cv2.countNonZero(gray))


def features():
    show('canny', cv2.Canny(gray, 50, 150))
    show('harris', cv2.cornerHarris(gray, 2, 3, 0.04))
    show('match', cv2.matchTemplate(gray, cv2.UMat(GRAY[20:40, 30:50]), cv2.TM_CCOEFF_NORMED))
    show('flow', cv2.calcOpticalFlowFarneback(gray, cv2.UMat(np.roll(GRAY, 2, 1)), None, 0.5, 3, 15, 2, 5, 1.2, 0))
    show('denoise', cv2.fastNlMeansDenoising(gray, None, 3, 5, 11))
    show('clahe', cv2.createCLAHE(2.0, (8, 8)).apply(gray))


cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.useOpenCL(), 'OpenCV finds no device'
{'filter': filters, 'geometry': geometry, 'core': core, 'features': features}[sys.argv[1]]()
